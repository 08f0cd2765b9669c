import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** An object of a document. */
export type Node = Readonly<Record<string, unknown>>

/** A file of specs/. */
export interface Spec {
  /** The name of the area, for example `taxonomy`, which is also the stem of the file. */
  readonly area: string
  readonly file: string
  readonly root: Node
}

/** The target of a reference: the object, and its file. */
export interface Target {
  readonly spec: Spec
  readonly node: Node
  /** The last part of the reference, for example `Organisation`; undefined if the object was not referenced. */
  readonly name: string | undefined
}

/** An operation of a document, with the parameters of its path. */
export interface Operation {
  readonly spec: Spec
  readonly id: string
  readonly method: string
  readonly path: string
  readonly node: Node
  readonly parameters: readonly Target[]
}

const folder = new URL('../../specs/', import.meta.url)

/** The documents, in the order of their names. */
export const specs: readonly Spec[] = readdirSync(folder)
  .filter(file => file.endsWith('.yaml'))
  .toSorted()
  .map(file => ({
    area: file.replace('.yaml', ''),
    file: `specs/${file}`,
    root: asNode(parse(readFileSync(new URL(file, folder), 'utf8'))),
  }))

/** The documents of areas, without the shared components. */
export const areas: readonly Spec[] = specs.filter(spec => spec.area !== 'common')

/** Returns the document of an area, or of the shared components; throws if the document does not exist. */
export function specOf(area: string): Spec {
  const found = specs.find(spec => spec.area === area)
  if (found === undefined) throw new Error(`specs/ has no ${area}.yaml`)
  return found
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as an object; an empty object for every other value. */
export function asNode(value: unknown): Node {
  return isNode(value) ? value : {}
}

/** Returns a value as a list; an empty list for every other value. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the object at the end of a path of members; an empty object if the path leads nowhere. */
export function nodeAt(node: Node, ...members: readonly string[]): Node {
  return members.reduce((at, member) => asNode(at[member]), node)
}

/**
 * Follows a reference, and a lone `allOf` that adds members to a reference; returns the target, and throws if the
 * target does not exist.
 */
export function resolve(spec: Spec, value: unknown): Target {
  const node = asNode(value)
  const [only, ...others] = asList(node.allOf)
  if (only !== undefined && others.length === 0) return resolve(spec, only)
  if (typeof node.$ref !== 'string') return { spec, node, name: undefined }
  const [file = '', pointer = ''] = node.$ref.split('#/')
  const owner = file === '' ? spec : specOf(file.replace('.yaml', ''))
  const members = pointer.split('/')
  const target = nodeAt(owner.root, ...members)
  if (Object.keys(target).length === 0) throw new Error(`${spec.file}: ${node.$ref} leads nowhere`)
  return { ...resolve(owner, target), name: members.at(-1) }
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Returns the operations of a document in order. */
export function operationsOf(spec: Spec): readonly Operation[] {
  return Object.entries(asNode(spec.root.paths)).flatMap(([path, item]) =>
    Object.entries(asNode(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, value]) => {
        const node = asNode(value)
        return {
          spec,
          id: String(node.operationId),
          method: method.toUpperCase(),
          path,
          node,
          parameters: [...asList(asNode(item).parameters), ...asList(node.parameters)].map(each => resolve(spec, each)),
        }
      }),
  )
}

/** Returns the schema of an operation's body for the status 200. */
export function answerOf({ spec, node }: Operation): Target {
  return resolve(spec, nodeAt(node, 'responses', '200', 'content', 'application/json', 'schema'))
}

/** Returns the schema of the body that an operation takes; undefined if it takes no body. */
export function bodyOf({ spec, node }: Operation): Target | undefined {
  const body = nodeAt(node, 'requestBody', 'content', 'application/json', 'schema')
  return Object.keys(body).length === 0 ? undefined : resolve(spec, body)
}

/** Returns the named schemas of a document. */
export function schemasOf(spec: Spec): readonly (readonly [name: string, schema: Node])[] {
  return Object.entries(nodeAt(spec.root, 'components', 'schemas')).map(([name, schema]) => [name, asNode(schema)])
}

/** Iterates over every object of a value with its JSON pointer, parents first; examples and defaults are left out. */
export function* nodesOf(value: unknown, pointer = ''): Generator<readonly [pointer: string, node: Node]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* nodesOf(item, `${pointer}/${index}`)
  }
  if (!isNode(value)) return
  yield [pointer, value]
  for (const [member, child] of Object.entries(value)) {
    if (member !== 'example' && member !== 'default') yield* nodesOf(child, `${pointer}/${member}`)
  }
}

/** Returns the name of an area's operation record, for example `TaxonomyOperation`. */
export function recordOf(spec: Spec): string {
  return `${spec.area.charAt(0).toUpperCase()}${spec.area.slice(1)}Operation`
}
