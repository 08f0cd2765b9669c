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

/** Members of a body that no example can know, by operationId: the ids of scopes, the names of dimensions. */
export type Bodies = Readonly<Record<string, (tenant: Tenant) => JsonObject>>

/** Calls the platform as the administrator with a body; the answer is the id of the resource. It throws on a refusal. */
export type Run = (target: string, body: object) => Promise<string>

/** Resources that no operation creates at the path of a collection, by the operationId that needs them. */
export type Arranged = Readonly<Record<string, (run: Run) => Promise<Existing>>>

/** The parts for creating resources. */
export interface Making {
  readonly document: Document
  readonly schemas: ReadonlyMap<string, NamedSchema>
  readonly kinds: readonly AnyKind[]
  readonly call: Call
  readonly authorization: string
  readonly bodies: Bodies
  readonly arranged: Arranged
}

type Path = Readonly<Record<string, string>>

/**
 * Creates the resources in the path of an operation, the parents first, and the targets of its body: from the
 * operations that create them, the examples of the document and the references of the kinds. Undefined where a parent
 * cannot be made because its operation is not built.
 */
export async function makeExisting(making: Making, operation: Operation): Promise<Existing | undefined> {
  const arranged = making.arranged[operation.id]
  if (arranged) return arranged(runOf(making))
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
  const create = find('POST')
  if (create) return (await makeThing(making, create, where))?.id
  const list = find('GET')
  return list && firstListed(making, list, where)
}

/** The body of a creation: the members that only this test knows, and the ids of the targets. */
async function bodyFor(making: Making, create: Operation, where: Where): Promise<JsonObject> {
  const type = create.access?.key?.split('.').slice(0, 2).join('.')
  const kind = making.kinds.find(each => each.type === type)
  const body: Record<string, Json> = { ...making.bodies[create.id]?.(where.tenant) }
  for (const { by = 'id', member, target } of kind?.targets ?? []) {
    const ofTarget = making.document.operations.find(
      ({ access, method }) => method === 'POST' && access?.key === `${target.type}.create`,
    )
    const thing = ofTarget && (await makeThing(making, ofTarget, where))
    if (thing !== undefined) body[member] = thing[by]
  }
  return body
}

let made = 0

/** A resource that was made; its name is empty where it has none. */
interface Made {
  readonly id: string
  readonly name: string
}

async function makeThing(making: Making, create: Operation, where: Where): Promise<Made | undefined> {
  const content = create.body?.content
  const example = content && new Examples(making.schemas).of(content.schema, 'input', '')
  const given = {
    ...objectOf(example),
    ...objectOf(content?.example),
  }
  const name = Object.hasOwn(given, 'name') ? `made-${(made += 1)}` : ''
  const named = name === '' ? {} : { name }
  const body = { ...given, ...named, ...(await bodyFor(making, create, where)) }
  const answer = await send(making, 'POST', fill(create.path, where.path), body)
  return answer.status === 501 ? undefined : { id: String(answered(create, answer)['resource_id']), name }
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

/** Calls as `Run` says. */
export function runOf(making: Pick<Making, 'authorization' | 'call'>): Run {
  return async (target, body) => {
    const answer = await send(making, 'POST', target, body)
    return String(answered({ id: target }, answer)['resource_id'])
  }
}

type Answered = Awaited<ReturnType<Call>>

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
  throw new Error(`${id} made nothing to be named: ${status} ${body}`)
}

const objectOf = (value: unknown): JsonObject => (isJson(value) && isJsonObject(value) ? value : {})

const fill = (path: string, values: Path): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
