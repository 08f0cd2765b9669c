import type { Schema } from './types.ts'

/**
 * The relation of a part to its surrounding schema. `element`: an element of a list or a value of a map; updates
 * replace the list or map as a whole. `masked`: an object whose members an `update_mask` next to the object selects.
 * `negated`: the schema of a `not`.
 */
export type PartKind = 'property' | 'masked' | 'element' | 'branch' | 'alternative' | 'negated'

/** Returns the direct parts of a schema. References are not followed. */
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
    case 'not':
      return [['negated', schema.of]]
    default:
      return []
  }
}

/** Yields a schema and all schemas inside of it. References are not followed. */
export function* within(schema: Schema): Generator<Schema, void, undefined> {
  const pending: Schema[] = [schema]
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next
    for (const [, part] of partsOf(next)) pending.push(part)
  }
}

/** Returns the ids of the schemas that a schema refers to. */
export function targetsOf(schema: Schema): readonly string[] {
  return [...within(schema)].flatMap(part => (part.kind === 'ref' ? [part.target] : []))
}

/** Returns the ids of the references that a schema consists of directly, through unions, intersections and `not`. */
export function aliasesOf(schema: Schema): readonly string[] {
  const pending: Schema[] = [schema]
  const targets: string[] = []
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'ref') targets.push(next.target)
    else if (next.kind === 'union' || next.kind === 'intersection') pending.push(...next.of)
    else if (next.kind === 'not') pending.push(next.of)
  }
  return targets
}
