import { isConstraint, type Property, type Schema } from './types.ts'

/**
 * The relation of a part to its surrounding schema. `element`: an element of a list or a value of a map; updates
 * replace the list or map as a whole. `masked`: an object whose members an `update_mask` next to the object selects.
 * `negated`: a schema that only decides, such as that of a `not`, an `if` or `contains`.
 */
export type PartKind = 'property' | 'masked' | 'element' | 'branch' | 'alternative' | 'negated'

type Visit = (kind: PartKind, part: Schema) => void

/** Visits the direct parts of a schema. References are not followed, and members that `isLeftOut` returns are skipped. */
export function eachPart(schema: Schema, visit: Visit, isLeftOut?: (property: Property) => boolean): void {
  switch (schema.kind) {
    case 'array':
      visit('element', schema.items)
      for (const part of schema.prefix ?? []) visit('alternative', part)
      if (schema.contains) visit('negated', schema.contains.of)
      return
    case 'object':
      for (const property of schema.properties)
        if (!isLeftOut?.(property)) visit(property.masked ? 'masked' : 'property', property.schema)
      for (const [, part] of schema.patterns ?? []) visit('element', part)
      if (typeof schema.additional === 'object') visit('element', schema.additional)
      if (schema.names) visit('negated', schema.names)
      return
    case 'union':
      for (const part of schema.of) visit('alternative', part)
      return
    case 'intersection':
      for (const part of schema.of) visit('branch', part)
      return
    case 'not':
      return visit('negated', schema.of)
    case 'conditional':
      visit('negated', schema.if)
      for (const part of conditionalBranches(schema)) visit('alternative', part)
      return
    case 'dependent':
      return visit('alternative', schema.of)
    case 'unevaluated':
      // The schemas `beside` are parts of the surrounding intersection.
      return visit('element', schema.rest)
    default:
  }
}

/** Returns the direct parts of a schema. References are not followed. */
export function partsOf(schema: Schema): readonly Schema[] {
  const parts: Schema[] = []
  eachPart(schema, (_, part) => parts.push(part))
  return parts
}

/** Returns the schemas that a conditional schema chooses from. */
export const conditionalBranches = ({
  then,
  else: otherwise,
}: Extract<Schema, { kind: 'conditional' }>): readonly Schema[] => [then, otherwise].filter(part => part !== undefined)

/** Returns a schema and all schemas inside of it. References are not followed. */
export function within(schema: Schema): readonly Schema[] {
  const found = [schema]
  for (const next of found) eachPart(next, (_, part) => found.push(part))
  return found
}

const targets = new WeakMap<Schema, readonly string[]>()

/** Returns the ids of the schemas that a schema refers to. The list is kept, because several stages need the same list. */
export function targetsOf(schema: Schema): readonly string[] {
  const known = targets.get(schema)
  if (known) return known
  const found = within(schema).flatMap(part => (part.kind === 'ref' ? [part.target] : []))
  targets.set(schema, found)
  return found
}

/** Returns the ids of the references that a schema applies to the same value, through unions, intersections and so on. */
export function aliasesOf(schema: Schema): readonly string[] {
  const pending: Schema[] = [schema]
  const targets: string[] = []
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'ref') targets.push(next.target)
    else if (next.kind === 'union' || next.kind === 'intersection') pending.push(...next.of)
    else if (isConstraint(next) && next.kind !== 'unevaluated') pending.push(...partsOf(next))
  }
  return targets
}
