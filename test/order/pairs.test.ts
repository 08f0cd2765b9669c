import { describe, expect, it } from 'vitest'
import { pairsOf } from './pairs.ts'
import type { Recipe } from './recipe.ts'
import { pairName, type StepName } from './step.ts'

/** Returns the names of the pairs, in brackets for pairs that are not made. */
function named(steps: readonly StepName[], given: Pick<Recipe, 'atOdds' | 'unmade'> = {}): readonly string[] {
  return pairsOf(steps, given).map(({ earlier, later, unmade }) => {
    const name = pairName(earlier, later)
    return unmade === undefined ? name : `[${name}]`
  })
}

describe('pairsOf', () => {
  it('pairs each step with the next step', () => {
    expect(named(['route', 'form', 'etag', 'state'])).toEqual(['route>form', 'form>etag', 'etag>state'])
  })

  it('pairs the steps around a pair at odds, too', () => {
    expect(named(['route', 'form', 'etag', 'state'], { atOdds: { 'form>etag': 'why' } })).toEqual([
      'route>form',
      '[form>etag]',
      'etag>state',
      'route>etag',
      'form>state',
    ])
  })

  it('skips a step without a fault', () => {
    expect(named(['route', 'form', 'etag', 'state'], { unmade: { etag: 'why' } })).toEqual([
      'route>form',
      '[form>etag]',
      '[etag>state]',
      'form>state',
    ])
  })

  it('has no pair of an absent scope and its state', () => {
    expect(named(['idempotency', 'existence of workspace', 'workspace', 'quota'])).toEqual([
      'idempotency>existence of workspace',
      '[existence of workspace>workspace]',
      'workspace>quota',
      'idempotency>workspace',
      'existence of workspace>quota',
    ])
  })
})
