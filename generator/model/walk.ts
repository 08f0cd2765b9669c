import { isConstraint, type Schema } from './types.ts'

/**
 * The relation of a part to its surrounding schema. `element`: an element of a list or a value of a map; updates
 * replace the list or map as a whole. `masked`: an object whose members an `update_mask` next to the object selects.
 * `negated`: a schema that only decides, such as that of a `not`, an `if` or `contains`.
 */
export type PartKind = 'property' | 'masked' | 'element' | 'branch' | 'alternative' | 'negated'

/** Returns the direct parts of a schema. References are not followed. */
export function partsOf(schema: Schema): readonly (readonly [PartKind, Schema])[] {
  switch (schema.kind) {
    case 'array':
      return [
        ['element', schema.items],
        ...(schema.prefix ?? []).map(part => ['alternative', part] as const),
        ...(schema.contains ? [['negated', schema.contains.of] as const] : []),
      ]
    case 'object': {
      const properties = schema.properties.map(
        property => [property.masked ? 'masked' : 'property', property.schema] as const,
      )
      const further = [...(schema.patterns ?? []).map(([, part]) => part), schema.additional]
      return [
        ...properties,
        ...further.flatMap(part => (typeof part === 'object' ? [['element', part] as const] : [])),
        ...(schema.names ? [['negated', schema.names] as const] : []),
      ]
    }
    case 'union':
      return schema.of.map(part => ['alternative', part] as const)
    case 'intersection':
      return schema.of.map(part => ['branch', part] as const)
    case 'not':
      return [['negated', schema.of]]
    case 'conditional':
      return [['negated', schema.if], ...conditionalBranches(schema).map(part => ['alternative', part] as const)]
    case 'dependent':
      return [['alternative', schema.of]]
    case 'unevaluated':
      // The schemas `beside` are parts of the surrounding intersection.
      return [['element', schema.rest]]
    default:
      return []
  }
}

/** Returns the schemas that a conditional schema chooses from. */
export const conditionalBranches = ({
  then,
  else: otherwise,
}: Extract<Schema, { kind: 'conditional' }>): readonly Schema[] => [then, otherwise].filter(part => part !== undefined)

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

/** Returns the ids of the references that a schema applies to the same value, through unions, intersections and so on. */
export function aliasesOf(schema: Schema): readonly string[] {
  const pending: Schema[] = [schema]
  const targets: string[] = []
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'ref') targets.push(next.target)
    else if (next.kind === 'union' || next.kind === 'intersection') pending.push(...next.of)
    else if (isConstraint(next) && next.kind !== 'unevaluated') pending.push(...partsOf(next).map(([, part]) => part))
  }
  return targets
}
