import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../domain/ports/store.ts'
import { matches } from '../../../runtime/filter/evaluate.ts'
import type { Filter, FilterField, FilterValue, SortField, SortKey } from '../../../runtime/filter/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { checkOrder, compareRows } from '../../../runtime/ordering.ts'
import type { ListQuery, Page } from '../../../runtime/pagination.ts'
import { storedTimestamp } from '../../../runtime/timestamps.ts'
import type { SqliteStore } from '../../../server/store/sqlite.ts'
import { boxes, boxFields, testStore, type Box } from './harness.ts'

const collection: Collection<Box> = { ...boxes, uniques: [] }

const texts = fc.constantFrom(
  '',
  'a',
  'b',
  'ab',
  'aXb',
  'A',
  '～',
  '😀',
  '\u0000',
  'a\u0000b',
  '"',
  "'",
  '\\',
  '%',
  '[a]',
)
const sizes = fc.constantFrom(-1, 0, 1, 4, 9007199254740991)
const times = fc.constantFrom('2025-03-10T12:00:00.000Z', '2025-03-10T12:00:00.500Z', '2026-01-01T00:00:00.000Z')
const mapKeys = fc.constantFrom('a', 'a.b', '"', '\\', 'é', '__proto__', '0', '$', '[0]', 'a\nb')

const box: fc.Arbitrary<Omit<Box, 'id'>> = fc.record(
  {
    name: texts,
    parent: fc.constantFrom('p', 'q'),
    size: sizes,
    state: fc.constantFrom('NEW', 'OPEN', 'DONE'),
    is_sealed: fc.boolean(),
    create_time: times,
    labels: fc.dictionary(mapKeys, texts, { maxKeys: 3 }),
    tags: fc.array(texts, { maxLength: 3 }),
    inner: fc.record({ name: texts, size: sizes }, { requiredKeys: [] }),
    links: fc.array(fc.record({ id: texts }), { maxLength: 2 }),
  },
  { requiredKeys: ['name'] },
)

const integers = fc.constantFrom(-1n, 0n, 1n, 9007199254740992n, 2n ** 63n, -(2n ** 63n) - 1n, 10n ** 30n)

const valuesOf: Partial<Record<FilterField['type'], fc.Arbitrary<FilterValue>>> = {
  STRING: texts,
  ENUM: fc.constantFrom('NEW', 'OPEN', 'DONE'),
  INTEGER: integers,
  BOOLEAN: fc.boolean(),
  TIMESTAMP: times.map(time => storedTimestamp(time) ?? ''),
}

const operators = fc.constantFrom('=', '!=', '<', '<=', '>', '>=')

function leavesOf(field: FilterField): fc.Arbitrary<Filter>[] {
  const present: fc.Arbitrary<Filter> = fc.constant({ kind: 'present', field })
  const pieces = fc.array(texts, { minLength: 2, maxLength: 4 })
  if (field.type === 'PRESENCE') return [present]
  if (field.type === 'MAP') {
    return [
      present,
      mapKeys.map(key => ({ kind: 'present', field, key })),
      fc.record({
        kind: fc.constant('compare' as const),
        field: fc.constant(field),
        key: mapKeys,
        operator: operators,
        value: texts,
      }),
      fc.record({
        kind: fc.constant('like' as const),
        field: fc.constant(field),
        key: mapKeys,
        pieces,
        negated: fc.boolean(),
      }),
    ]
  }
  const value = valuesOf[field.type] ?? texts
  const comparable =
    field.list || field.type === 'ENUM' || field.type === 'BOOLEAN' ? fc.constantFrom('=' as const) : operators
  const leaves: fc.Arbitrary<Filter>[] = [
    present,
    fc.record({ kind: fc.constant('compare' as const), field: fc.constant(field), operator: comparable, value }),
  ]
  if (field.type === 'STRING') {
    leaves.push(
      fc.record({
        kind: fc.constant('like' as const),
        field: fc.constant(field),
        pieces,
        negated: field.list ? fc.constant(false) : fc.boolean(),
      }),
    )
  }
  return leaves
}

const { filter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(...boxFields.fields.flatMap(leavesOf)),
    fc.record({ kind: fc.constant('not' as const), term: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}))

const sortable = boxFields.fields.filter(field => field.sortable)
const order: fc.Arbitrary<readonly SortField[]> = fc
  .tuple(fc.shuffledSubarray(sortable, { maxLength: 3 }), fc.infiniteStream(fc.boolean()))
  .map(([fields, directions]) => [
    ...fields.map(field => ({ field, descending: directions.next().value === true })),
    { field: { name: 'id', type: 'STRING', operators: [] }, descending: false },
  ])

async function filled(rows: readonly Omit<Box, 'id'>[]): Promise<{ store: SqliteStore; stored: Box[] }> {
  const store = await testStore(collection)
  const stored = rows.map((row, i): Box => ({ id: `id-${String(i).padStart(4, '0')}`, ...row }))
  await store.tx(async tx => {
    for (const one of stored) await tx.insert(collection, one)
  })
  return { store, stored }
}

const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  size: 100,
  filter: undefined,
  order: checkOrder(undefined, boxFields),
  after: undefined,
  now: 0,
  ...more,
})

const idsOf = (page: Page<Box>): string[] => page.items.map(item => (item instanceof JsonText ? parsed(item) : item).id)

const parsed = (item: JsonText<Box>): Box => JSON.parse(item.text)

const sample = (count: number): Omit<Box, 'id'>[] => fc.sample(box, { seed: 42, numRuns: count })

describe('a list', () => {
  it('shows the rows that a filter matches in memory, and no others', async () => {
    const { store, stored } = await filled(sample(100))
    await fc.assert(
      fc.asyncProperty(filter, async wanted => {
        const page = await store.list(collection, query({ filter: wanted }))
        const expected = stored.filter(row => matches(wanted, row)).map(row => row.id)
        expect(idsOf(page).sort()).toEqual(expected)
      }),
      { numRuns: 1500 },
    )
  })

  it('walked page by page shows each row once, in the order of the memory', async () => {
    const { store, stored } = await filled(sample(60))
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 25 }), async (wanted, size) => {
        const walked: string[] = []
        let after: readonly SortKey[] | undefined
        do {
          const page = await store.list(collection, query({ order: wanted, size, after }))
          walked.push(...idsOf(page))
          after = page.next
        } while (after !== undefined)
        const expected = [...stored].sort((a, b) => compareRows(wanted, a, b)).map(row => row.id)
        expect(walked).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  it('goes on behind a row that was deleted meanwhile', async () => {
    const { store } = await filled(sample(10))
    const first = await store.list(collection, query({ size: 4 }))
    const all = idsOf(await store.list(collection, query()))
    await store.tx(tx => tx.delete(collection, all[3] ?? '', 1))
    const second = await store.list(collection, query({ after: first.next }))
    expect([...idsOf(first), ...idsOf(second)]).toEqual(all)
  })

  it('has no next page when its rows just fill the last one', async () => {
    const { store } = await filled(sample(6))
    const first = await store.list(collection, query({ size: 3 }))
    const second = await store.list(collection, query({ size: 3, after: first.next }))
    expect([first.items.length, second.items.length]).toEqual([3, 3])
    expect(first.next).toBeDefined()
    expect(second.next).toBeUndefined()
  })

  it('shows only the rows of a parent', async () => {
    const { store, stored } = await filled(sample(40))
    const page = await store.list(
      collection,
      query({ filter: { kind: 'present', field: { name: 'name', type: 'STRING', operators: [] } } }),
      { parent: 'p' },
    )
    expect(idsOf(page).sort()).toEqual(stored.filter(row => row.parent === 'p' && row.name !== '').map(row => row.id))
  })
})

it('every document of a parent is read once, by id, however many there are', async () => {
  const { store, stored } = await filled(sample(350))
  const read: Box[] = []
  for await (const { value } of store.each(collection, { parent: 'p' })) read.push(value)
  expect(read.map(row => row.id)).toEqual(stored.filter(row => row.parent === 'p').map(row => row.id))
  expect(read.length).toBeGreaterThan(100)
})

it('a page holds versions and values of the rows of its list', async () => {
  const { store } = await filled(sample(10))
  const page = await store.page(collection, query({ size: 4 }))
  const list = await store.list(collection, query({ size: 4 }))
  expect(page.items.map(({ text }) => text)).toEqual(list.items)
  expect(page.items.map(({ version }) => version)).toEqual([1, 1, 1, 1])
  expect(page.items.map(({ id }) => id)).toEqual(page.items.map(({ value }) => value.id))
  expect(page.next).toEqual(list.next)
})

it('the sum of a column is taken over the rows of a parent', async () => {
  const { store, stored } = await filled(sample(40).map(row => ({ ...row, size: (row.size ?? 0) % 100 })))
  const of = (parent: string): number =>
    stored.filter(row => row.parent === parent).reduce((sum, row) => sum + (row.size ?? 0), 0)
  expect(await store.sum(collection, 'size', { parent: 'p' })).toBe(of('p'))
  expect(await store.sum(collection, 'size', { parent: 'nobody' })).toBe(0)
  await expect(store.sum(collection, 'name')).rejects.toThrow('no integers')
})
