import { member, members, positionOf } from '../read/located.ts'
import type { Located } from '../read/types.ts'
import type { BuildSchema } from './building.ts'
import type { Schema } from './types.ts'

/**
 * Builds the parts of a schema that only OpenAPI 3.1 has and that apply to the value itself: `if` with `then` and
 * `else`, and `dependentSchemas`. `type` is the type that other parts of the schema demand.
 */
export function newerParts(at: Located, type: string | undefined, build: BuildSchema): readonly Schema[] {
  const condition = member(at, 'if')
  const [then, otherwise] = [member(at, 'then'), member(at, 'else')]
  // A condition alone chooses nothing, but evaluates members and items.
  const conditional: Schema | undefined = condition && {
    kind: 'conditional',
    if: build(condition, { as: 'negated', type }),
    ...(then && { then: build(then, { as: 'alternative', type }) }),
    ...(otherwise && { else: build(otherwise, { as: 'alternative', type }) }),
    position: positionOf(condition),
  }
  const dependents = members(member(at, 'dependentSchemas')).map(([name, part]): Schema => ({
    kind: 'dependent',
    name,
    of: build(part, { as: 'alternative', type: 'object' }),
    position: positionOf(part),
  }))
  return conditional ? [conditional, ...dependents] : dependents
}

/** Builds `unevaluatedProperties` and `unevaluatedItems` of a schema, whose other parts are `beside`. */
export function unevaluatedParts(
  at: Located,
  type: string | undefined,
  beside: readonly Schema[],
  build: BuildSchema,
): readonly Schema[] {
  const found: Schema[] = []
  for (const [parts, name, holder] of [
    ['members', 'unevaluatedProperties', 'object'],
    ['items', 'unevaluatedItems', 'array'],
  ] as const) {
    const rest = member(at, name)
    if (!rest || (type !== undefined && type !== holder)) continue
    found.push({ kind: 'unevaluated', parts, beside, rest: build(rest), position: positionOf(rest) })
  }
  return found
}
