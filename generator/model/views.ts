import type { Names } from './names.ts'
import type { NamedSchema, Operation, Property, Schema } from './types.ts'
import { addReferrer, withReferrers } from './referrers.ts'
import { eachPart, type PartKind } from './walk.ts'
import type { Reaches } from '../document-outline.ts'

/** A named schema before its views are known. */
export interface Unviewed {
  readonly id: string
  readonly name: string
  readonly document: string
  readonly schema: Schema
}

/** The traits that make the views of a schema differ. A schema has a trait directly or through its references. */
export interface Traits {
  /** The schemas whose members or values differ between requests and responses. */
  readonly input: ReadonlySet<string>
  /**
   * The schemas with a member that inputs require. An update requires no member, so the update view of these schemas
   * differs from their input view.
   */
  readonly update: ReadonlySet<string>
  /** The schemas with a default in a sent member. */
  readonly defaults: ReadonlySet<string>
}

/** The kinds of parts through which a schema inherits a trait from the target of a reference, keyed by the trait. */
const carriers: Readonly<Record<keyof Traits, ReadonlySet<PartKind>>> = {
  input: new Set(['property', 'masked', 'element', 'branch', 'alternative', 'negated']),
  // An update replaces lists and maps as a whole, and the alternative of a union that will match is unknown.
  update: new Set(['property', 'branch']),
  // The alternative of a union that will match is unknown before the value is checked.
  defaults: new Set(['property', 'element', 'branch']),
}

/** Finds the traits of all named schemas. A trait starts at a schema and propagates to the schemas that refer to it. */
export function traitsOf(schemas: readonly Unviewed[]): Traits {
  return {
    input: propagate('input', schemas, differsWhenSent),
    update: propagate('update', schemas, requiresSome),
    defaults: propagate('defaults', schemas, hasDefault),
  }
}

function propagate(
  trait: keyof Traits,
  schemas: readonly Unviewed[],
  begins: (schema: Schema) => boolean,
): ReadonlySet<string> {
  const referrers = new Map<string, string[]>()
  const kinds = carriers[trait]
  const found = schemas.filter(({ id, schema }) => {
    const parts = sentWithin(schema, kinds)
    for (const part of parts) if (part.kind === 'ref') addReferrer(referrers, part.target, id)
    return parts.some(begins)
  })
  return withReferrers(
    found.map(({ id }) => id),
    referrers,
  )
}

/** Returns a schema and its parts, following only parts of the given kinds and members that requests contain. */
function sentWithin(schema: Schema, kinds: ReadonlySet<PartKind>): readonly Schema[] {
  const found = [schema]
  const add = (kind: PartKind, part: Schema): void => {
    if (kinds.has(kind)) found.push(part)
  }
  for (const part of found) eachPart(part, add, isUnsent)
  return found
}

/** Whether requests never contain a member. */
const isUnsent = ({ access }: Property): boolean => access === 'output'

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

/** The ids of the schemas that requests reach, grouped by view. */
export interface Reached {
  readonly input: ReadonlySet<string>
  readonly update: ReadonlySet<string>
}

/**
 * Returns the ids of the schemas whose output view is always generated: schemas that no request contains, and enums.
 */
export const alwaysAnswered = (schemas: readonly Unviewed[], { input }: Reached): readonly string[] =>
  schemas.filter(({ id, schema }) => !input.has(id) || schema.kind === 'enum').map(({ id }) => id)

/**
 * Returns the ids of the schemas whose output view is needed: `roots`, the schemas of responses, and the schemas to
 * which these refer.
 */
export function answeredBy(
  operations: readonly Operation[],
  schemas: readonly Unviewed[],
  roots: Iterable<string>,
): ReadonlySet<string> {
  const byId = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const found = new Set(roots)
  const answers = operations.flatMap(({ failures, list, successes }) => [
    ...(list ? [list.item] : []),
    ...[...successes, ...failures].flatMap(({ contents, headers }) => [
      ...contents.map(({ schema }) => schema),
      ...headers.map(({ schema }) => schema),
    ]),
  ])
  for (const schema of answers) for (const target of answeredTargets(schema)) found.add(target)
  for (const id of found) {
    const schema = byId.get(id)
    if (schema) for (const target of answeredTargets(schema)) found.add(target)
  }
  return found
}

/** Whether responses never contain a member. */
const isUnanswered = ({ access }: Property): boolean => access === 'input'

/** Returns the ids to which a schema refers in responses. */
function answeredTargets(schema: Schema): readonly string[] {
  const found = [schema]
  for (const next of found) eachPart(next, (_, part) => found.push(part), isUnanswered)
  return found.flatMap(part => (part.kind === 'ref' ? [part.target] : []))
}

/**
 * Returns the ids of the schemas that the bodies and parameters of operations reach. A schema in an update also counts
 * as input. `seeds` holds the schemas that unloaded documents reach.
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
    const add = (kind: PartKind, part: Schema): unknown =>
      pending.push([part, kind === 'masked' ? 'update' : carriers.update.has(kind) ? view : 'input'])
    eachPart(schema, add, isUnsent)
    if (schema.kind !== 'ref' || reached[view].has(schema.target)) continue
    reached[view].add(schema.target)
    reached.input.add(schema.target)
    const target = byId.get(schema.target)
    if (target) pending.push([target, view])
  }
  return reached
}

/**
 * Names the views of a schema. A view gets its own name if requests reach the schema and the view differs. The input
 * view with filled defaults has a type only if the input view has its own name.
 */
export function viewsOf(
  { id, name }: Unviewed,
  traits: Traits,
  reached: Reached,
  names: Names,
): Pick<NamedSchema, 'views' | 'parsedName'> {
  const hasInput = reached.input.has(id) && traits.input.has(id)
  const hasUpdate = reached.update.has(id) && traits.update.has(id)
  const input = hasInput ? names.claim(`${name}Input`, `${name}InputView`) : name
  const update = hasUpdate ? names.claim(`${name}Update`, `${name}UpdateView`) : input
  const parsedName = hasInput ? names.claim(`Parsed${name}`, `Parsed${name}View`) : name
  return { views: { output: name, input, update }, parsedName }
}
