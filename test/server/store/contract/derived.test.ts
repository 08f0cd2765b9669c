import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Derived, DerivedRow } from '../../../../domain/ports/store.ts'
import { matches } from '../../../../runtime/filter/evaluate.ts'
import type { Filter, SortKey } from '../../../../runtime/filter/types.ts'
import { compareRows } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import {
  box,
  derivedFields,
  filled,
  filtersOver,
  isNear,
  looseBoxes,
  ordersOver,
  query,
  rank,
  sample,
  texts,
  withNumbers,
  zone,
} from '../box-queries.ts'
import { boxFields, testStore, type Box } from '../harness.ts'

const parents = ['', 'p', 'q']
const states = ['', 'STATE_UNSPECIFIED', 'NEW', 'OPEN', 'DONE']
const combinations = parents.flatMap(parent => states.map(state => [parent, state] as const))

/** Generates tables with a value for every pair of parent and state, so that every row has its derived fields. */
const tables: fc.Arbitrary<Derived> = fc
  .array(
    fc.tuple(fc.constantFrom(-1, 0, 7, 9007199254740991), fc.constantFrom('NEW', 'OPEN', 'DONE'), fc.boolean(), texts),
    { minLength: combinations.length, maxLength: combinations.length },
  )
  .map(values => ({
    from: ['parent', 'state'],
    fields: derivedFields,
    rows: combinations.map((from, i) => ({ from, values: values[i] ?? [] })),
  }))

/** Returns a row together with its derived fields. */
function completed(row: Box, { fields, rows }: Derived): object {
  const found = rows.find(({ from: [parent, state] }) => (row.parent ?? '') === parent && (row.state ?? '') === state)
  return { ...row, ...Object.fromEntries(fields.map(({ name }, i) => [name, found?.values[i]])) }
}

async function idsOf(store: ServerStore, asked: ListQuery, derived: Derived): Promise<readonly string[]> {
  return (await store.page(looseBoxes, asked, {}, { derived })).items.map(({ id }) => id)
}

/** Returns the ids of all pages of a list, in order. */
async function walk(store: ServerStore, asked: ListQuery, derived: Derived): Promise<readonly string[]> {
  const walked: string[] = []
  let after: readonly SortKey[] | undefined
  do {
    const page = await store.page(looseBoxes, { ...asked, after }, {}, { derived })
    walked.push(...page.items.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return walked
}

describe('a page with derived fields', () => {
  it('has exactly the rows that a filter over derived and own fields matches in memory', async () => {
    const { store, stored } = await filled(sample(100))
    const filters = filtersOver([...boxFields.fields, ...derivedFields, ...derivedFields])
    await fc.assert(
      fc.asyncProperty(filters, tables, async (filter, derived) => {
        const expected = stored.filter(row => matches(filter, completed(row, derived))).map(({ id }) => id)
        expect([...(await idsOf(store, query({ filter }), derived))].sort()).toEqual(expected)
      }),
      { numRuns: 600 },
    )
  })

  it('shows each row once in any order, with ties and in both directions, as in memory', async () => {
    const { store, stored } = await filled(sample(60))
    const orders = ordersOver([...boxFields.fields, ...derivedFields])
    await fc.assert(
      fc.asyncProperty(orders, tables, fc.integer({ min: 1, max: 25 }), async (order, derived, size) => {
        const expected = stored
          .map(row => ({ id: row.id, row: completed(withNumbers(row), derived) }))
          .sort((a, b) => compareRows(order, a.row, b.row))
          .map(({ id }) => id)
        expect(await walk(store, query({ order, size }), derived)).toEqual(expected)
      }),
      { numRuns: 120 },
    )
  })

  it('walks the filtered rows in pages of any size', async () => {
    const { store, stored } = await filled(sample(80))
    const [derived] = fc.sample(tables, { seed: 7, numRuns: 1 })
    if (derived === undefined) throw new Error('no table was generated')
    const near: Filter = { kind: 'not', term: { kind: 'compare', field: isNear, operator: '=', value: true } }
    const expected = stored.filter(row => matches(near, completed(row, derived))).map(({ id }) => id)
    expect(expected.length).toBeGreaterThan(10)
    for (const size of [1, 3, 100]) {
      const walked = await walk(store, query({ size, filter: near }), derived)
      expect([...walked].sort()).toEqual(expected)
    }
  })

  it('excludes documents without a row in the table', async () => {
    const { store, stored } = await filled(sample(40))
    const derived: Derived = { from: ['parent'], fields: [zone], rows: [{ from: ['q'], values: ['far'] }] }
    const order = [
      { field: zone, descending: true },
      { field: { name: 'id', type: 'STRING', operators: [] }, descending: false },
    ] as const
    expect(await walk(store, query({ order, size: 3 }), derived)).toEqual(
      stored.filter(({ parent }) => parent === 'q').map(({ id }) => id),
    )
    expect(await idsOf(store, query(), { ...derived, rows: [] })).toEqual([])
  })

  it('finds values with any characters', async () => {
    const odd = [
      `it's`,
      '"quoted"',
      '__proto__',
      'constructor',
      'a/b',
      '%',
      '\\',
      '😀',
      'a b',
      'a\u0000b',
      '[0]',
      '{}',
      '',
    ]
    const store = await testStore(looseBoxes)
    await store.tx(async tx => {
      for (const [i, parent] of odd.entries()) await tx.insert(looseBoxes, { id: `id-${i}`, name: 'box', parent })
    })
    const rows = odd.map((parent): DerivedRow => ({ from: [parent, ''], values: [parent] }))
    const derived: Derived = { from: ['parent', 'state'], fields: [zone], rows }
    for (const [i, value] of odd.entries()) {
      const filter: Filter = { kind: 'compare', field: zone, operator: '=', value }
      expect(await idsOf(store, query({ filter }), derived)).toEqual([`id-${i}`])
    }
  })

  it('keeps to the parent of its condition', async () => {
    const { store, stored } = await filled(sample(40))
    const [derived] = fc.sample(tables, { seed: 3, numRuns: 1 })
    const page = await store.page(looseBoxes, query(), { parent: 'p' }, derived ? { derived } : {})
    expect(page.items.map(({ id }) => id).sort()).toEqual(
      stored.filter(({ parent }) => parent === 'p').map(({ id }) => id),
    )
  })

  it('accepts a table of 10,000 rows', async () => {
    const { store, stored } = await filled(sample(20))
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ from: [i === 9_999 ? 'p' : `other-${i}`], values: [i] }))
    const derived: Derived = { from: ['parent'], fields: [rank], rows }
    const filter: Filter = { kind: 'compare', field: rank, operator: '>', value: 100n }
    expect([...(await idsOf(store, query({ filter }), derived))].sort()).toEqual(
      stored.filter(({ parent }) => parent === 'p').map(({ id }) => id),
    )
  })

  it('refuses a source that is not a text', async () => {
    const { store } = await filled(sample(1))
    const derived: Derived = { from: ['size'], fields: [rank], rows: [] }
    await expect(idsOf(store, query(), derived)).rejects.toThrow('"size" is of type INTEGER')
  })
})

it('members of a page are read together with the text', async () => {
  const { store } = await filled(fc.sample(box, { seed: 5, numRuns: 20 }))
  const { items } = await store.page(looseBoxes, query(), {}, { members: ['state', 'name', 'id'] })
  expect(items).toHaveLength(20)
  for (const { members, value } of items) {
    const [state, name, id] = members
    expect([state, name, id]).toEqual([value.state ?? '', value.name, value.id])
  }
  await expect(store.page(looseBoxes, query(), {}, { members: ['size'] })).rejects.toThrow('"size" is of type INTEGER')
})
