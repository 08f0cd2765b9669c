import { Examples } from '../../generator/conform/example.ts'
import { isJson, isJsonObject, type JsonObject } from '../../generator/conform/json.ts'
import type { Call } from '../../generator/conform/call.ts'
import type { Existing } from '../../generator/conform/subject.ts'
import type { Document, Json, NamedSchema, Operation } from '../../generator/model/types.ts'
import type { AnyKind } from '../../domain/resources/kind.ts'

/** The organisation and the workspace in which the things of one operation lie. */
export interface Tenant {
  readonly organisation: string
  readonly workspace: string
}

/** Creates a resource at the path of a call by the operation of an id; returns the id of the resource. */
export type MakeBeside = (operationId: string) => Promise<string>

/** Members of a body that no example can know, by operationId: the ids of scopes, the names of dimensions. */
export type Bodies = Readonly<Record<string, (tenant: Tenant, make: MakeBeside) => JsonObject | Promise<JsonObject>>>

/** The parts for creating resources. */
export interface Making {
  readonly document: Document
  readonly schemas: ReadonlyMap<string, NamedSchema>
  readonly kinds: readonly AnyKind[]
  readonly call: Call
  readonly authorization: string
  readonly bodies: Bodies
}

type Path = Readonly<Record<string, string>>

/**
 * Creates the resources in the path of an operation, the parents first, and the targets of its body: from the
 * operations that create them, the examples of the document and the references of the kinds. Undefined where a parent
 * cannot be made because its operation is not built.
 */
export async function makeExisting(making: Making, operation: Operation): Promise<Existing | undefined> {
  const tenant = await makeTenant(making)
  let path: Path | undefined = {}
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path' || path === undefined) continue
    const id: string | undefined = await idFor(making, operation, parameter.name, { path, tenant })
    path = id === undefined ? undefined : { ...path, [parameter.name]: id }
  }
  if (path === undefined) return undefined
  const body = operation.method === 'POST' ? await bodyFor(making, operation, { path, tenant }) : undefined
  return { path, ...(body && { body }) }
}

interface Where {
  readonly path: Path
  readonly tenant: Tenant
}

async function idFor(making: Making, operation: Operation, name: string, where: Where): Promise<string | undefined> {
  const { tenant } = where
  if (name === 'workspace') return tenant.workspace
  if (name === 'organisation') return tenant.organisation
  if (name === 'engine') return 'native'
  const collection = operation.path.slice(0, operation.path.indexOf(`/{${name}}`))
  const find = (method: string) =>
    making.document.operations.find(each => each.method === method && each.path === collection)
  const list = find('GET')
  const create = find('POST') ?? (list && adderOf(making, list))
  if (create) return makeIfBuilt(making, create, where)
  return list && firstListed(making, list, where)
}

/** The operation that creates the rows of a list at another path, such as `:addRule` of the parent. */
function adderOf({ document }: Making, { access }: Operation): Operation | undefined {
  const key = access?.key?.replace(/\.list$/, '.create')
  return document.operations.find(each => each.method === 'POST' && each.path.includes(':') && each.access?.key === key)
}

/** The body of a creation: the members that only this test knows, and the ids of the targets. */
async function bodyFor(making: Making, create: Operation, where: Where): Promise<JsonObject> {
  const type = create.access?.key?.split('.').slice(0, 2).join('.')
  const kind = making.kinds.find(each => each.type === type)
  const body: Record<string, Json> = {
    ...(await making.bodies[create.id]?.(where.tenant, id => makeThing(making, operationOf(making, id), where))),
  }
  for (const { member, target } of kind?.targets ?? []) {
    const ofTarget = making.document.operations.find(
      ({ access, method }) => method === 'POST' && access?.key === `${target.type}.create`,
    )
    const id = ofTarget && (await makeIfBuilt(making, ofTarget, where))
    if (id !== undefined) body[member] = id
  }
  return body
}

function operationOf({ document }: Making, id: string): Operation {
  const operation = document.operations.find(each => each.id === id)
  if (operation) return operation
  throw new Error(`the document has no operation ${id}`)
}

let made = 0

async function makeThing(making: Making, create: Operation, where: Where): Promise<string> {
  const id = await makeIfBuilt(making, create, where)
  if (id !== undefined) return id
  throw new Error(`${create.id} is needed and not built`)
}

async function makeIfBuilt(making: Making, create: Operation, where: Where): Promise<string | undefined> {
  const content = create.body?.content
  const example = content && new Examples(making.schemas).of(content.schema, 'input', '')
  const { etag: _precondition, ...given } = { ...objectOf(example), ...objectOf(content?.example) }
  const named = Object.hasOwn(given, 'name') ? { name: `made-${(made += 1)}` } : {}
  const body = { ...given, ...named, ...(await bodyFor(making, create, where)) }
  const answer = await send(making, 'POST', fill(create.path, where.path), body)
  return answer.status === 501 ? undefined : String(answered(create, answer)['resource_id'])
}

async function firstListed(making: Making, list: Operation, where: Where): Promise<string | undefined> {
  const answer = await send(making, 'GET', fill(list.path, where.path))
  if (answer.status === 501) return undefined
  const rows = Object.values(answered(list, answer)).find(Array.isArray)
  const [first]: unknown[] = rows ?? []
  const { id, resource } = objectOf(first)
  return first === undefined ? undefined : String(id ?? resource)
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

type Answered = Awaited<ReturnType<Call>>

function send({ authorization, call }: Making, method: string, target: string, body?: object): Promise<Answered> {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
  return call({ method, target, headers, ...(body && { body: JSON.stringify(body) }) })
}

function answered({ id }: Operation, { body, status }: Answered): JsonObject {
  const value: unknown = JSON.parse(body)
  if (status === 200) return objectOf(value)
  throw new Error(`${id} made nothing to be named: ${status} ${body}`)
}

const objectOf = (value: unknown): JsonObject => (isJson(value) && isJsonObject(value) ? value : {})

const fill = (path: string, values: Path): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
