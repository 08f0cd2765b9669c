import { Examples } from '../../generator/conform/example.ts'
import { isJson, isJsonObject, type JsonObject } from '../../generator/conform/json.ts'
import type { RequestSender } from '../../generator/conform/call.ts'
import type { Existing } from '../../generator/conform/subject.ts'
import type { Document, Json, NamedSchema, Operation } from '../../generator/model/types.ts'
import type { AnyKind } from '../../domain/resources/kind.ts'

/** The organisation and the workspace of the resources of one operation. */
export interface Tenant {
  readonly organisation: string
  readonly workspace: string
}

/**
 * Creates a resource with the operation `operationId` at the path of the present call; returns the id of the resource.
 */
export type MakeBeside = (operationId: string) => Promise<string>

/**
 * Functions that return the members of a body that no example can contain, keyed by operationId. A member with the value
 * null leaves the member of the example out.
 */
export type Bodies = Readonly<Record<string, (tenant: Tenant, make: MakeBeside) => JsonObject | Promise<JsonObject>>>

/**
 * Calls the platform as the administrator with a body; returns the id of the resource. Throws if the call is refused.
 */
export type Run = (target: string, body: object) => Promise<string>

/**
 * Sends a request as the administrator, POST with a body and GET without, and returns the object of the response. Throws
 * if the platform refuses the request.
 */
export type Read = (target: string, body?: object) => Promise<JsonObject>

/**
 * Functions that create resources that no operation creates at the path of a collection, keyed by the operationId of
 * the operation that needs the resources. `call` sends any request, for example to a data plane.
 */
export type Arranged = Readonly<Record<string, (run: Run, read: Read, call: RequestSender) => Promise<Existing>>>

/** The dependencies for creating resources. */
export interface Making {
  readonly document: Document
  readonly schemas: ReadonlyMap<string, NamedSchema>
  readonly kinds: readonly AnyKind[]
  readonly call: RequestSender
  readonly authorization: string
  readonly bodies: Bodies
  readonly arranged: Arranged
}

type Path = Readonly<Record<string, string>>

/**
 * The path parameter of a limit's quota definition. Limits differ by the scope and the dimensions of their quota
 * definition.
 */
const ofDefinition = 'quota_definition'

/**
 * Creates the resources in the path of an operation, parents first, and the targets of its body, by the operations that
 * create them, the examples of the document and the references of the kinds. For a path below quota definitions,
 * creates the resources in each definition of the area. Returns the path parameters of each created set, or an empty
 * list if a parent cannot be created because its operation is not built.
 */
export async function makeExisting(making: Making, operation: Operation): Promise<readonly Existing[]> {
  const arranged = making.arranged[operation.id]
  if (arranged) return [await arranged(runOf(making), readOf(making), making.call)]
  const [collection, below] = operation.path.split(`/{${ofDefinition}}`)
  if (collection === undefined || below === undefined) return existingIn(making, operation)
  const list = making.document.operations.find(each => each.method === 'GET' && each.path === collection)
  const definitions = list ? await listed(making, list, {}) : []
  return (await Promise.all(definitions.map(definition => existingIn(making, operation, definition)))).flat()
}

async function existingIn(making: Making, operation: Operation, definition?: JsonObject): Promise<Existing[]> {
  const tenant = await makeTenant(making)
  const path: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path') continue
    const id = await idFor(making, operation, parameter.name, { path, tenant, definition })
    if (id === undefined) return []
    path[parameter.name] = id
  }
  if (operation.method !== 'POST') return [{ path }]
  return [{ path, body: withoutNull(await bodyFor(making, operation, { path, tenant, definition })) }]
}

interface Where {
  readonly path: Path
  readonly tenant: Tenant
  /** The quota definition that the path names; undefined for a path without a quota definition. */
  readonly definition: JsonObject | undefined
}

async function idFor(making: Making, operation: Operation, name: string, where: Where): Promise<string | undefined> {
  const { definition, tenant } = where
  if (name === ofDefinition) return String(definition?.['id'])
  if (name === 'workspace') return tenant.workspace
  if (name === 'organisation') return tenant.organisation
  if (name === 'engine') return 'native'
  const collection = operation.path.slice(0, operation.path.indexOf(`/{${name}}`))
  const find = (method: string) =>
    making.document.operations.find(each => each.method === method && each.path === collection)
  const list = find('GET')
  const create = find('POST') ?? (list && adderOf(making, list))
  if (create) return (await makeThing(making, create, where))?.id
  const [first] = list ? await listed(making, list, where.path) : []
  return first && String(first['id'] ?? first['resource'])
}

/**
 * Returns the operation that creates the rows of a list at another path, such as `:addRule` of the parent; undefined if
 * the document has no such operation.
 */
function adderOf({ document }: Making, { access }: Operation): Operation | undefined {
  const key = access?.key?.replace(/\.list$/, '.create')
  if (key === undefined) return undefined
  return document.operations.find(each => each.method === 'POST' && each.path.includes(':') && each.access?.key === key)
}

/**
 * Returns the members that a creation needs in addition to its example: the members of `Bodies` and of limits, and the
 * references to created targets.
 */
async function bodyFor(making: Making, create: Operation, where: Where): Promise<JsonObject> {
  const type = create.access?.key?.split('.').slice(0, 2).join('.')
  const kind = making.kinds.find(each => each.type === type)
  const make: MakeBeside = id => makeBuilt(making, operationOf(making, id), where)
  const body: Record<string, Json> = { ...(await making.bodies[create.id]?.(where.tenant, make)), ...limitOf(where) }
  for (const { by = 'id', member, target } of kind?.targets ?? []) {
    const ofTarget = making.document.operations.find(
      ({ access, method }) => method === 'POST' && access?.key === `${target.type}.create`,
    )
    const thing = ofTarget && (await makeThing(making, ofTarget, where))
    if (thing !== undefined) body[member] = thing[by]
  }
  return body
}

/** Returns the members of a limit that follow from its quota definition; empty without a quota definition. */
function limitOf({ definition, tenant }: Where): JsonObject {
  if (definition === undefined) return {}
  const { dimensions, scope_type: type } = definition
  const names = Array.isArray(dimensions) ? dimensions.map(String) : []
  return {
    scope_type: type ?? '',
    scope_id: String(type).endsWith('_WORKSPACE') ? tenant.workspace : tenant.organisation,
    dimensions: Object.fromEntries(names.map(name => [name, 'local1'])),
  }
}

function operationOf({ document }: Making, id: string): Operation {
  const operation = document.operations.find(each => each.id === id)
  if (operation) return operation
  throw new Error(`the document has no operation ${id}`)
}

const withoutNull = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

let made = 0

/** A created resource; `name` is empty if the resource has no name. */
interface Made {
  readonly id: string
  readonly name: string
}

async function makeBuilt(making: Making, create: Operation, where: Where): Promise<string> {
  const made = await makeThing(making, create, where)
  if (made) return made.id
  throw new Error(`${create.id} is needed and not built`)
}

async function makeThing(making: Making, create: Operation, where: Where): Promise<Made | undefined> {
  const content = create.body?.content
  const example = content && new Examples(making.schemas).of(content.schema, 'input', '')
  const { etag: _precondition, ...given } = { ...objectOf(example), ...objectOf(content?.example) }
  const name = Object.hasOwn(given, 'name') ? `made-${(made += 1)}` : ''
  const named = name === '' ? {} : { name }
  const body = withoutNull({ ...given, ...named, ...(await bodyFor(making, create, where)) })
  const answer = await send(making, 'POST', fill(create.path, where.path), body)
  return answer.status === 501 ? undefined : { id: String(answered(create, answer)['resource_id']), name }
}

/** Returns the rows of the first page of a list; empty if the list is not built. */
async function listed(making: Making, list: Operation, path: Path): Promise<readonly JsonObject[]> {
  const answer = await send(making, 'GET', fill(list.path, path))
  if (answer.status === 501) return []
  return (Object.values(answered(list, answer)).find(Array.isArray) ?? []).map(objectOf)
}

async function makeTenant(making: Making): Promise<Tenant> {
  const name = `tenant-${(made += 1)}`
  const post = async (target: string) => {
    const answer = await send(making, 'POST', target, { name })
    const operation: { readonly resource_id: string } = JSON.parse(answer.body)
    return operation.resource_id
  }
  const organisation = await post('/taxonomy/v1/organisations')
  return { organisation, workspace: await post(`/taxonomy/v1/organisations/${organisation}/workspaces`) }
}

/** Returns a `Run` that sends its POST requests with `call` and `authorization`, and returns the id of the resource. */
export function runOf(making: Pick<Making, 'authorization' | 'call'>): Run {
  return async (target, body) => {
    const answer = await send(making, 'POST', target, body)
    return String(answered({ id: target }, answer)['resource_id'])
  }
}

const readOf =
  (making: Making): Read =>
  async (target, body) =>
    answered({ id: target }, await send(making, body ? 'POST' : 'GET', target, body))

type Answered = Awaited<ReturnType<RequestSender>>

function send(
  { authorization, call }: Pick<Making, 'authorization' | 'call'>,
  method: string,
  target: string,
  body?: object,
): Promise<Answered> {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
  return call({ method, target, headers, ...(body && { body: JSON.stringify(body) }) })
}

function answered({ id }: Pick<Operation, 'id'>, { body, status }: Answered): JsonObject {
  const value: unknown = JSON.parse(body)
  if (status === 200) return objectOf(value)
  throw new Error(`${id} created no resource with an id: ${status} ${body}`)
}

const objectOf = (value: unknown): JsonObject => (isJson(value) && isJsonObject(value) ? value : {})

const fill = (path: string, values: Path): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
