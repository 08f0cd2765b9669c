import type { Names } from './names.ts'
import type { Operation, Reaches, Schema, View } from './types.ts'
import { type PartKind, partsOf } from './walk.ts'

/** A named schema before its views are known. */
export interface Unviewed {
  readonly id: string
  readonly name: string
  readonly document: string
  readonly schema: Schema
}

/** What the views of a schema depend on, as it stands or through what it refers to. */
export interface Traits {
  /** Members or values differ between what is sent and what is answered. */
  readonly input: ReadonlySet<string>
  /** A member is required, so an update, which requires none, differs from what is sent. */
  readonly update: ReadonlySet<string>
  /** Something that is sent has a default. */
  readonly defaults: ReadonlySet<string>
}

/** Which references carry a trait from what is referred to, to what refers. */
const carriers: Readonly<Record<keyof Traits, ReadonlySet<PartKind>>> = {
  input: new Set(['property', 'masked', 'element', 'branch', 'alternative']),
  // lists and maps are replaced whole, and of a union nobody knows which form holds
  update: new Set(['property', 'branch']),
  // which form of a union holds is not known before it was checked
  defaults: new Set(['property', 'element', 'branch']),
}

/** Finds the traits of all named schemas: each where it begins, and from there against the references. */
export function traitsOf(schemas: readonly Unviewed[]): Traits {
  return {
    input: spread('input', schemas, differsWhenSent),
    update: spread('update', schemas, requiresSome),
    defaults: spread('defaults', schemas, hasDefault),
  }
}

function spread(
  trait: keyof Traits,
  schemas: readonly Unviewed[],
  begins: (schema: Schema) => boolean,
): ReadonlySet<string> {
  const referrers = new Map<string, string[]>()
  const found = new Set<string>()
  for (const { id, schema } of schemas) {
    for (const part of carried(schema, carriers[trait])) {
      if (begins(part)) found.add(id)
      if (part.kind !== 'ref') continue
      const list = referrers.get(part.target)
      if (list) list.push(id)
      else referrers.set(part.target, [id])
    }
  }
  for (const id of found) for (const referrer of referrers.get(id) ?? []) found.add(referrer)
  return found
}

/** A schema and its parts, as far as parts of some kinds lead. Members that are never sent are no part of what is. */
function* carried(schema: Schema, kinds: ReadonlySet<PartKind>): Generator<Schema, void, undefined> {
  const pending = [schema]
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next
    for (const [kind, part] of sentParts(next)) if (kinds.has(kind)) pending.push(part)
  }
}

function sentParts(schema: Schema): readonly (readonly [PartKind, Schema])[] {
  if (schema.kind !== 'object') return partsOf(schema)
  const sent = schema.properties.filter(({ access }) => access !== 'output')
  return partsOf({ ...schema, properties: sent })
}

function differsWhenSent(schema: Schema): boolean {
  if (schema.kind === 'enum') return schema.unspecified !== undefined
  if (schema.kind !== 'object') return false
  return schema.properties.some(({ access, masked }) => access !== 'both' || masked) || hasDefault(schema)
}

const requiresSome = (schema: Schema): boolean =>
  schema.kind === 'object' &&
  schema.properties.some(({ access, required }) => required && (access === 'both' || access === 'input'))

const hasDefault = (schema: Schema): boolean =>
  schema.kind === 'object' &&
  schema.properties.some(property => property.access !== 'output' && property.schema.default !== undefined)

/** The ids of the schemas that requests reach, by the view they are reached in. */
export interface Reached {
  readonly input: ReadonlySet<string>
  readonly update: ReadonlySet<string>
}

/** The ids of schemas whose output view is generated whoever needs it: what nobody sends, and lists of values. */
export const answeredAnyway = (schemas: readonly Unviewed[], { input }: Reached): readonly string[] =>
  schemas.filter(({ id, schema }) => !input.has(id) || schema.kind === 'enum').map(({ id }) => id)

/** The ids of the schemas whose output view something needs: `roots`, what operations answer, and what they refer to. */
export function answeredBy(
  operations: readonly Operation[],
  schemas: readonly Unviewed[],
  roots: Iterable<string>,
): ReadonlySet<string> {
  const byId = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const found = new Set(roots)
  const answers = operations.flatMap(({ failures, list, successes }) => [
    ...(list ? [list.item] : []),
    ...[...successes, ...failures].flatMap(({ content, headers }) => [
      ...(content ? [content.schema] : []),
      ...headers.map(({ schema }) => schema),
    ]),
  ])
  for (const schema of answers) for (const target of answeredTargets(schema)) found.add(target)
  for (const id of found) for (const target of answeredTargets(byId.get(id))) found.add(target)
  return found
}

/** What a schema refers to as it is answered. */
function* answeredTargets(schema: Schema | undefined): Generator<string, void, undefined> {
  const pending = schema ? [schema] : []
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'ref') yield next.target
    const properties = next.kind === 'object' ? next.properties.filter(({ access }) => access !== 'input') : []
    for (const [, part] of partsOf(next.kind === 'object' ? { ...next, properties } : next)) pending.push(part)
  }
}

/**
 * Follows the bodies and parameters of operations through all schemas. What an update reaches is sent as input too.
 * `seeds` are what the documents reach that were not loaded.
 */
export function reachedBy(
  operations: readonly Operation[],
  schemas: readonly Unviewed[],
  seeds: readonly Reaches[] = [],
): Reached {
  const byId = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const reached = {
    input: new Set(seeds.flatMap(({ input }) => input)),
    update: new Set(seeds.flatMap(({ update }) => update)),
  }
  const pending: (readonly [Schema, 'input' | 'update'])[] = operations.flatMap(({ body, parameters }) => [
    ...(body?.contents.map(({ schema }) => [schema, body.view] as const) ?? []),
    ...parameters.map(({ schema }) => [schema, 'input'] as const),
  ])
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [schema, view] = next
    for (const [kind, part] of sentParts(schema)) {
      pending.push([part, kind === 'masked' ? 'update' : carriers.update.has(kind) ? view : 'input'])
    }
    if (schema.kind !== 'ref' || reached[view].has(schema.target)) continue
    reached[view].add(schema.target)
    reached.input.add(schema.target)
    const target = byId.get(schema.target)
    if (target) pending.push([target, view])
  }
  return reached
}

/** The names of a schema's views: one of its own for each that is reached and differs. */
export function viewsOf(
  { id, name }: Unviewed,
  traits: Traits,
  reached: Reached,
  names: Names,
): Readonly<Record<View, string>> {
  const hasInput = reached.input.has(id) && traits.input.has(id)
  const hasUpdate = reached.update.has(id) && traits.update.has(id)
  const input = hasInput ? names.claim(`${name}Input`, `${name}InputView`) : name
  const update = hasUpdate ? names.claim(`${name}Update`, `${name}UpdateView`) : input
  return { output: name, input, update }
}
