import type { NamedSchema, Property, Schema } from '../model/types.ts'

/**
 * The effects of completing a sent value: members with a default are filled, and members that only the server sets are
 * dropped.
 */
export interface Completion {
  /** Whether members are filled, so that the type of the result differs. */
  readonly fills: boolean
  /** Whether members are dropped. */
  readonly drops: boolean
}

/** The effects of completing each named schema, keyed by its id. */
export type Completions = ReadonlyMap<string, Completion>

const nothing: Completion = { fills: false, drops: false }

/**
 * Returns the effects of completing every named schema, keyed by id. Each schema first gets the effects of its own
 * members. Then the effects spread from each schema to its referrers, so that neither long chains nor cycles of
 * references matter.
 */
export function completionsOf(schemas: ReadonlyMap<string, NamedSchema>): Completions {
  const found = new Map<string, Completion>()
  const referrers = new Map<string, Referrer[]>()
  for (const [id, { schema }] of schemas) {
    const refers: Refers = (target, isInside) => {
      const known = referrers.get(target)
      if (known) known.push({ id, isInside })
      else referrers.set(target, [{ id, isInside }])
      return nothing
    }
    found.set(id, completion(schema, refers))
  }
  const changed = [...found].filter(([, { drops, fills }]) => drops || fills).map(([id]) => id)
  for (let id = changed.pop(); id !== undefined; id = changed.pop()) {
    for (const { id: referrer, isInside } of referrers.get(id) ?? []) {
      const before = found.get(referrer) ?? nothing
      const effect = found.get(id) ?? nothing
      const after = sum([before, isInside ? inside(effect) : effect])
      if (after.fills === before.fills && after.drops === before.drops) continue
      found.set(referrer, after)
      changed.push(referrer)
    }
  }
  return found
}

/** A schema that refers to another one, perhaps only inside the values of a map or the branches of a union. */
interface Referrer {
  readonly id: string
  readonly isInside: boolean
}

/** Returns the effects of a referenced schema. `isInside`: the reference is a value of a map or a branch of a union. */
export type Refers = (target: string, isInside: boolean) => Completion

/**
 * Returns the effects of a part whose filled members have no type of their own: the values of a map, and the branches of
 * a union with a discriminator. Their defaults are filled too, but the type of the whole does not say so.
 */
const inside = ({ drops, fills }: Completion): Completion => ({ fills: false, drops: drops || fills })

/** Returns the effects of completing a value of a schema. */
export function completion(schema: Schema, refers: Refers, isInside = false): Completion {
  const whole = (part: Schema): Completion => completion(part, refers, isInside)
  const within = (part: Schema): Completion => inside(completion(part, refers, true))
  switch (schema.kind) {
    case 'ref':
      return refers(schema.target, isInside)
    case 'array':
      return whole(schema.items)
    case 'intersection':
      return sum(schema.of.map(whole))
    case 'object':
      return sum([
        ...schema.properties.map(property => memberCompletion(property, refers, isInside)),
        ...[valuesOf(schema) ?? []].flat().map(within),
      ])
    case 'union':
      return sum(schema.discriminator ? schema.of.map(within) : [])
    default:
      return nothing
  }
}

/** Returns the effects of completing one member. A member that a mask updates is not completed inside. */
export function memberCompletion({ access, masked, schema }: Property, refers: Refers, isInside = false): Completion {
  if (access === 'output') return { fills: false, drops: true }
  const inner = masked ? nothing : completion(schema, refers, isInside)
  return schema.default === undefined ? inner : { ...inner, fills: true }
}

/** Returns the schema of the values of a map without declared members; undefined for any other object. */
export const valuesOf = ({ additional, properties }: Extract<Schema, { kind: 'object' }>): Schema | undefined =>
  typeof additional === 'object' && properties.length === 0 ? additional : undefined

const sum = (parts: readonly Completion[]): Completion => ({
  fills: parts.some(({ fills }) => fills),
  drops: parts.some(({ drops }) => drops),
})
