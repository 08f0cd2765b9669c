import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortInTurns } from '../../../../domain/registry/values/sort-in-turns.ts'

it('items are sorted as the language sorts them, and equal ones keep their places', async () => {
  const item = fc.record({ rank: fc.nat(5), id: fc.nat() })
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 2500, size: 'max' }), async items => {
      const compare = (one: { rank: number }, other: { rank: number }) => one.rank - other.rank
      expect(await sortInTurns(items, compare)).toEqual(items.toSorted(compare))
    }),
    { numRuns: 30 },
  )
})

it('other work gets turns while many items are sorted', async () => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await sortInTurns(
    Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_000),
    (one, other) => one - other,
  )
  isDone = true
  expect(turns).toBeGreaterThan(100)
})
