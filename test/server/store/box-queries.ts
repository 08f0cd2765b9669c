import fc from 'fast-check'
import type { Collection } from '../../../domain/ports/store.ts'
import type { Filter, FilterField, FilterValue, SortField } from '../../../runtime/filter/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery, Page } from '../../../runtime/pagination.ts'
import { storedTimestamp } from '../../../runtime/timestamps.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { boxes, boxFields, testStore, type Box } from './harness.ts'

/** Boxes without a unique name, so that random rows never conflict. */
export const looseBoxes: Collection<Box> = { ...boxes, uniques: [] }

/** Texts that are hard to compare, to quote or to find in JSON. */
export const texts = fc.constantFrom(
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

/** Generates any box; only the name is always present. */
export const box: fc.Arbitrary<Omit<Box, 'id'>> = fc.record(
  {
    name: texts,
    parent: fc.constantFrom('p', 'q'),
    size: sizes,
    state: fc.constantFrom('STATE_UNSPECIFIED', 'NEW', 'OPEN', 'DONE'),
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
  const value = field.enumValues ? fc.constantFrom(...field.enumValues) : (valuesOf[field.type] ?? texts)
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

/** Generates any filter over some fields, in the form of a checked filter. */
export function filtersOver(fields: readonly FilterField[]): fc.Arbitrary<Filter> {
  return fc.letrec<{ filter: Filter }>(tie => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(...fields.flatMap(leavesOf)),
      fc.record({ kind: fc.constant('not' as const), term: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
    ),
  })).filter
}

/** Returns a row as a store sorts it: the store keeps 0 for an unset number. */
export const withNumbers = <Row extends Omit<Box, 'id'>>(row: Row): Row => ({
  ...row,
  size: row.size ?? 0,
  ...(row.inner && { inner: { ...row.inner, size: row.inner.size ?? 0 } }),
})

/** Generates any order by up to three of the sortable fields, with the id as the last key. */
export function ordersOver(fields: readonly FilterField[]): fc.Arbitrary<readonly SortField[]> {
  const sortable = fields.filter(field => field.sortable)
  return fc
    .tuple(fc.shuffledSubarray(sortable, { maxLength: 3 }), fc.infiniteStream(fc.boolean()))
    .map(([chosen, directions]) => [
      ...chosen.map(field => ({ field, descending: directions.next().value === true })),
      { field: { name: 'id', type: 'STRING', operators: [] }, descending: false },
    ])
}

const comparing = ['=', '!=', '<', '<=', '>', '>='] as const

/** A derived number, which the documents of boxes lack. */
export const rank: FilterField = { name: 'rank', type: 'INTEGER', operators: comparing, sortable: true }
const mood: FilterField = {
  name: 'mood',
  type: 'ENUM',
  operators: ['='],
  sortable: true,
  enumValues: ['NEW', 'OPEN', 'DONE'],
}
export const isNear: FilterField = { name: 'is_near', type: 'BOOLEAN', operators: ['='], sortable: true }
export const zone: FilterField = { name: 'zone', type: 'STRING', operators: comparing, sortable: true }
export const derivedFields = [rank, mood, isNear, zone] as const

/** Opens a store with these rows, whose ids ascend in the order of `rows`. Returns the store and its boxes. */
export async function filled(rows: readonly Omit<Box, 'id'>[]): Promise<{ store: ServerStore; stored: Box[] }> {
  const store = await testStore(looseBoxes)
  const stored = rows.map((row, i): Box => ({ id: `id-${String(i).padStart(4, '0')}`, ...row }))
  await store.tx(async tx => {
    for (const one of stored) await tx.insert(looseBoxes, one)
  })
  return { store, stored }
}

/** Returns a query for the first 100 rows in the default order, changed by `more`. */
export const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  size: 100,
  filter: undefined,
  order: checkOrder(undefined, boxFields),
  after: undefined,
  now: 0,
  ...more,
})

/** Returns the ids of a page, in the order of the page. */
export const idsOf = (page: Page<Box>): string[] =>
  page.items.map(item => (item instanceof JsonText ? parsed(item) : item).id)

const parsed = (item: JsonText<Box>): Box => JSON.parse(item.text)

/** Returns `count` boxes, the same boxes in every run. */
export const sample = (count: number): Omit<Box, 'id'>[] => fc.sample(box, { seed: 42, numRuns: count })
