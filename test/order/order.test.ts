import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Aim } from './aim.ts'
import { countsOf, printCounts, printMatrix } from './matrix.ts'
import { allMutations } from './operations.ts'
import { prove, type Verdict } from './prove.ts'
import type { Recipe } from './recipe.ts'
import { allRecipes } from './recipe-files.ts'
import { openWorld, type World } from './world.ts'

const mutations = await allMutations()
const recipes = await allRecipes()

/** The verdicts of all calls. */
const verdicts: Verdict[] = []
const undo: (() => void | Promise<void>)[] = []
let world: World

beforeAll(async () => {
  world = await openWorld(each => void undo.push(each), mutations)
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

describe.each(mutations)('$operation.id', mutation => {
  it('reports the earlier of two faults, for all neighbouring checks', async () => {
    const proof = await prove(world, mutation, recipes.get(mutation.area) ?? { operations: {} })
    verdicts.push(...proof.verdicts)
    expect(proof.faults).toEqual([])
  })
})

describe('a recipe', () => {
  /** Returns the faults that `prove` finds for `createQuotaOverride` with changed recipes. */
  async function faultsWith(change: (recipe: Recipe) => Readonly<Record<string, Recipe>>): Promise<readonly string[]> {
    const id = 'createQuotaOverride'
    const mutation = mutations.find(({ operation }) => operation.id === id)
    const area = recipes.get('taxonomy')
    const recipe = area?.operations[id]
    if (!mutation || !area || !recipe) throw new Error(`there is no recipe for ${id}`)
    return (await prove(world, mutation, { ...area, operations: change(recipe) })).faults
  }

  it('is needed', async () => {
    const missing = 'reference>uniqueness is neither made nor listed: nothing makes reference'
    expect(await faultsWith(() => ({}))).toContain(missing)
  })

  it('lists no step as not made that has a fault', async () => {
    expect(await faultsWith(recipe => ({ createQuotaOverride: { ...recipe, unmade: { reference: 'why' } } }))).toEqual([
      'reference is listed as not made, and there is a fault for it',
    ])
  })

  it('lists no step that the operation lacks', async () => {
    const atOdds = { 'form>quota': 'why' } as const
    expect(await faultsWith(recipe => ({ createQuotaOverride: { ...recipe, atOdds } }))).toEqual([
      'form>quota is listed as not made, and the operation does not have it',
    ])
  })

  it('has faults that are reported when they are alone', async () => {
    const reference = { reason: 'QUOTA_OVERRIDE_SCOPE_INVALID', apply: (aim: Aim) => aim }
    const faults = await faultsWith(recipe => ({ createQuotaOverride: { ...recipe, faults: { reference } } }))
    expect(faults).toContain('reference alone answers OK instead of QUOTA_OVERRIDE_SCOPE_INVALID')
  })
})

describe('the order matrix', () => {
  it('has recipes for existing operations only', () => {
    const known = new Set(mutations.map(({ area, operation }) => `${area}.${operation.id}`))
    const names = [...recipes].flatMap(([area, { operations }]) => Object.keys(operations).map(id => `${area}.${id}`))
    expect(names.filter(name => !known.has(name))).toEqual([])
  })

  it('covers every mutation of every area', () => {
    expect(new Set(verdicts.map(({ area, operationId }) => `${area}.${operationId}`)).size).toBe(mutations.length)
    const { made, unmade } = countsOf(verdicts)
    expect(made + [...unmade.values()].reduce((sum, count) => sum + count, 0)).toBe(verdicts.length)
    console.log(process.env['NINEFOLD_ORDER_MATRIX'] ? printMatrix(verdicts) : printCounts(verdicts))
  })
})
