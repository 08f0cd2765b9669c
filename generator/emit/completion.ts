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
  const referrers = new Map<string, string[]>()
  for (const [id, { schema }] of schemas) {
    const refers = (target: string): Completion => {
      const known = referrers.get(target)
      if (known) known.push(id)
      else referrers.set(target, [id])
      return nothing
    }
    found.set(id, completion(schema, refers))
  }
  const changed = [...found].filter(([, { drops, fills }]) => drops || fills).map(([id]) => id)
  for (let id = changed.pop(); id !== undefined; id = changed.pop()) {
    for (const referrer of referrers.get(id) ?? []) {
      const before = found.get(referrer) ?? nothing
      const after = sum([before, found.get(id) ?? nothing])
      if (after.fills === before.fills && after.drops === before.drops) continue
      found.set(referrer, after)
      changed.push(referrer)
    }
  }
  return found
}

/** Returns the effects of completing a value of a schema; `refers` returns the effects of a referenced schema. */
export function completion(schema: Schema, refers: (target: string) => Completion): Completion {
  switch (schema.kind) {
    case 'ref':
      return refers(schema.target)
    case 'array':
      return completion(schema.items, refers)
    case 'intersection':
      return sum(schema.of.map(branch => completion(branch, refers)))
    case 'object':
      return sum(schema.properties.map(property => memberCompletion(property, refers)))
    default:
      return nothing
  }
}

/** Returns the effects of completing one member. A member that a mask updates is not completed inside. */
export function memberCompletion(
  { access, masked, schema }: Property,
  refers: (target: string) => Completion,
): Completion {
  if (access === 'output') return { fills: false, drops: true }
  const inner = masked ? nothing : completion(schema, refers)
  return schema.default === undefined ? inner : { ...inner, fills: true }
}

const sum = (parts: readonly Completion[]): Completion => ({
  fills: parts.some(({ fills }) => fills),
  drops: parts.some(({ drops }) => drops),
})
