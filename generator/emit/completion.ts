import type { NamedSchema, Property, Schema } from '../model/types.ts'

/** What completing a sent value does: members with a default are filled, members that only the server sets are dropped. */
export interface Completion {
  /** Members are filled, so the type differs. */
  readonly fills: boolean
  /** Members are dropped. */
  readonly drops: boolean
}

/** What completing each named schema does, by its id. */
export type Completions = ReadonlyMap<string, Completion>

const nothing: Completion = { fills: false, drops: false }

/**
 * Finds what completing every named schema does: first by what it says itself, then along the references from what is
 * referred to, so that neither long chains nor circles of schemas matter.
 */
export function completionsOf(schemas: ReadonlyMap<string, NamedSchema>): Completions {
  const found = new Map<string, Completion>()
  const referrers = new Map<string, string[]>()
  for (const [id, { schema }] of schemas) {
    const refers = (target: string): Completion => {
      referrers.set(target, [...(referrers.get(target) ?? []), id])
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

/** What completing a value of a schema does; `refers` answers for what it refers to. */
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

/** What completing one member does; what an update mask is about is taken as it is sent. */
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
