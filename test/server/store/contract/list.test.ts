import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Where } from '../../../../domain/ports/store.ts'
import { matches } from '../../../../runtime/filter/evaluate.ts'
import { compareRows } from '../../../../runtime/ordering.ts'
import type { SortKey } from '../../../../runtime/filter/types.ts'
import type { Page } from '../../../../runtime/pagination.ts'
import { filled, filtersOver, idsOf, looseBoxes, ordersOver, query, sample, withNumbers } from '../box-queries.ts'
import { boxes, boxFields, testStore, type Box } from '../harness.ts'

type Pages = (cursor: { readonly after: readonly SortKey[] | undefined }) => Promise<Page<Box>>

async function walk(pages: Pages): Promise<readonly string[]> {
  const walked: string[] = []
  let after: readonly SortKey[] | undefined
  do {
    const page = await pages({ after })
    walked.push(...idsOf(page))
    after = page.next
  } while (after !== undefined)
  return walked
}

describe('a list', () => {
  it('shows exactly the rows that a filter matches in memory', async () => {
    const { store, stored } = await filled(sample(100))
    await fc.assert(
      fc.asyncProperty(filtersOver(boxFields.fields), async wanted => {
        const page = await store.list(looseBoxes, query({ filter: wanted }))
        const expected = stored.filter(row => matches(wanted, row)).map(row => row.id)
        expect(idsOf(page).sort()).toEqual(expected)
      }),
      { numRuns: 1500 },
    )
  })

  it('shows each row once over its pages, in the order of the memory', async () => {
    const { store, stored } = await filled(sample(60))
    await fc.assert(
      fc.asyncProperty(ordersOver(boxFields.fields), fc.integer({ min: 1, max: 25 }), async (wanted, size) => {
        const walked = await walk(({ after }) => store.list(looseBoxes, query({ order: wanted, size, after })))
        const expected = stored
          .map(withNumbers)
          .sort((a, b) => compareRows(wanted, a, b))
          .map(row => row.id)
        expect(walked).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  it.each<readonly [string, Where]>([
    ['a parent', { parent: 'p' }],
    ['some parents', { parent: ['p', 'q'] }],
    ['all parents', {}],
  ])('of %s with names that are unique below a parent shows each row once as well', async (_, where) => {
    const store = await testStore(boxes)
    const names = ['', 'a', 'B', 'b', '~', '😀']
    const made = names.flatMap((name, i) =>
      ['q', 'p'].map(parent => ({ id: `${parent}-${name}`, parent, name, size: i % 3 })),
    )
    await store.tx(async tx => {
      for (const each of made) await tx.insert(boxes, each)
    })
    const shown = made.filter(({ parent }) => where['parent'] !== 'p' || parent === 'p')
    await fc.assert(
      fc.asyncProperty(ordersOver(boxFields.fields), async wanted => {
        const walked = await walk(({ after }) => store.list(boxes, query({ order: wanted, size: 2, after }), where))
        expect(walked).toEqual([...shown].sort((a, b) => compareRows(wanted, a, b)).map(row => row.id))
      }),
      { numRuns: 60 },
    )
  })

  it('continues after a row that was deleted in the meantime', async () => {
    const { store } = await filled(sample(10))
    const first = await store.list(looseBoxes, query({ size: 4 }))
    const all = idsOf(await store.list(looseBoxes, query()))
    await store.tx(tx => tx.delete(looseBoxes, all[3] ?? '', 1))
    const second = await store.list(looseBoxes, query({ after: first.next }))
    expect([...idsOf(first), ...idsOf(second)]).toEqual(all)
  })

  it('has no next page if its rows exactly fill the last page', async () => {
    const { store } = await filled(sample(6))
    const first = await store.list(looseBoxes, query({ size: 3 }))
    const second = await store.list(looseBoxes, query({ size: 3, after: first.next }))
    expect([first.items.length, second.items.length]).toEqual([3, 3])
    expect(first.next).toBeDefined()
    expect(second.next).toBeUndefined()
  })

  it('shows only the rows of a parent', async () => {
    const { store, stored } = await filled(sample(40))
    const page = await store.list(
      looseBoxes,
      query({ filter: { kind: 'present', field: { name: 'name', type: 'STRING', operators: [] } } }),
      { parent: 'p' },
    )
    expect(idsOf(page).sort()).toEqual(stored.filter(row => row.parent === 'p' && row.name !== '').map(row => row.id))
  })
})

it('each document of a parent is read once, by id, however many there are', async () => {
  const { store, stored } = await filled(sample(350))
  const read: Box[] = []
  for await (const { value } of store.each(looseBoxes, { parent: 'p' })) read.push(value)
  expect(read.map(row => row.id)).toEqual(stored.filter(row => row.parent === 'p').map(row => row.id))
  expect(read.length).toBeGreaterThan(100)
})

it('a page has the versions and values of the rows of its list', async () => {
  const { store } = await filled(sample(10))
  const page = await store.page(looseBoxes, query({ size: 4 }))
  const list = await store.list(looseBoxes, query({ size: 4 }))
  expect(page.items.map(({ text }) => text)).toEqual(list.items)
  expect(page.items.map(({ version }) => version)).toEqual([1, 1, 1, 1])
  expect(page.items.map(({ id }) => id)).toEqual(page.items.map(({ value }) => value.id))
  expect(page.next).toEqual(list.next)
})

it('the sum of a column covers the rows of a parent', async () => {
  const { store, stored } = await filled(sample(40).map(row => ({ ...row, size: (row.size ?? 0) % 100 })))
  const of = (parent: string): number =>
    stored.filter(row => row.parent === parent).reduce((sum, row) => sum + (row.size ?? 0), 0)
  expect(await store.sum(looseBoxes, 'size', { parent: 'p' })).toBe(of('p'))
  expect(await store.sum(looseBoxes, 'size', { parent: 'nobody' })).toBe(0)
  await expect(store.sum(looseBoxes, 'name')).rejects.toThrow('no integers')
})
