import type { Schema } from './types.ts'

/**
 * How a part stands in the schema around it. `element`: in a list or as a map's value, which are sent whole; `masked`:
 * as what an update mask beside it updates.
 */
export type PartKind = 'property' | 'masked' | 'element' | 'branch' | 'alternative'

/** The schemas that stand directly in a schema; references are not followed. */
export function partsOf(schema: Schema): readonly (readonly [PartKind, Schema])[] {
  switch (schema.kind) {
    case 'array':
      return [['element', schema.items]]
    case 'object': {
      const properties = schema.properties.map(
        property => [property.masked ? 'masked' : 'property', property.schema] as const,
      )
      return typeof schema.additional === 'object' ? [...properties, ['element', schema.additional]] : properties
    }
    case 'union':
      return schema.of.map(part => ['alternative', part] as const)
    case 'intersection':
      return schema.of.map(part => ['branch', part] as const)
    default:
      return []
  }
}

/** A schema and all that stand in it; references are not followed. */
export function* within(schema: Schema): Generator<Schema, void, undefined> {
  const pending: Schema[] = [schema]
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next
    for (const [, part] of partsOf(next)) pending.push(part)
  }
}

/** The ids of the schemas that a schema refers to. */
export function targetsOf(schema: Schema): readonly string[] {
  return [...within(schema)].flatMap(part => (part.kind === 'ref' ? [part.target] : []))
}

/** The schemas that stand for another when it is looked through: references, branches and alternatives. */
export function aliasesOf(schema: Schema): readonly string[] {
  const pending: Schema[] = [schema]
  const targets: string[] = []
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'ref') targets.push(next.target)
    else if (next.kind === 'union' || next.kind === 'intersection') pending.push(...next.of)
  }
  return targets
}
