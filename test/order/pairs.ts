import type { Recipe } from './recipe.ts'
import { pairName, type StepName } from './step.ts'

/**
 * Two steps with a fault each, of which the earlier step must respond. `unmade` is the reason why no call has both
 * faults; undefined if a call can have both.
 */
export interface Pair {
  readonly earlier: StepName
  readonly later: StepName
  readonly unmade: string | undefined
}

/** The steps that check the existence of a scope, whose state the step `workspace` checks. */
const scopes: ReadonlySet<StepName> = new Set([
  'existence of workspace',
  'existence of organisation',
  'existence of scope_id',
])

/**
 * Returns the pairs of neighbouring steps. Around a step or pair that no call can have, the next steps form pairs too,
 * so that the pairs prove the whole order.
 */
export function pairsOf(
  steps: readonly StepName[],
  { atOdds = {}, unmade = {} }: Pick<Recipe, 'atOdds' | 'unmade'> = {},
): readonly Pair[] {
  const found = new Map<string, Pair>()
  const add = (earlier: StepName, later: StepName): Pair => {
    const name = pairName(earlier, later)
    const reason = unmade[earlier] ?? unmade[later] ?? atOdds[name] ?? withoutScope(earlier, later)
    const pair = found.get(name) ?? { earlier, later, unmade: reason }
    found.set(name, pair)
    return pair
  }
  for (const [earlier, later] of neighbours(steps)) add(earlier, later)
  const kept = steps.filter(step => unmade[step] === undefined)
  const open = neighbours(kept).map((_, i) => [i, i + 1] as const)
  for (const [i, j] of open) {
    const [earlier, later] = [kept[i], kept[j]]
    if (earlier === undefined || later === undefined) continue
    if (add(earlier, later).unmade !== undefined) open.push([i - 1, j], [i, j + 1])
  }
  return [...found.values()]
}

const neighbours = (steps: readonly StepName[]): readonly (readonly [StepName, StepName])[] =>
  steps.flatMap((earlier, i) => {
    const later = steps[i + 1]
    return later === undefined ? [] : [[earlier, later] as const]
  })

const withoutScope = (earlier: StepName, later: StepName): string | undefined =>
  later === 'workspace' && scopes.has(earlier) ? 'a scope that is not there has no state' : undefined
