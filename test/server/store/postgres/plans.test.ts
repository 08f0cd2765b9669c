import { beforeAll, describe, expect, it } from 'vitest'
import type { Collection, Derived, Reader } from '../../../../domain/ports/store.ts'
import type { Filter, FilterField } from '../../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { openPostgres } from '../../../../server/store/postgres.ts'
import { postgresDialect } from '../../../../server/store/postgres/dialect.ts'
import { isNear, looseBoxes, query, rank } from '../box-queries.ts'
import { statement, testPlace, type Box } from '../harness.ts'
import { statementsOf } from '../statements.ts'
import { explain } from './explain.ts'

const collection: Collection<Box> = {
  ...looseBoxes,
  indexes: [
    ['parent', 'create_time'],
    ['parent', 'state', 'create_time'],
  ],
}

const labels: FilterField = { name: 'labels', type: 'MAP', operators: ['='] }

/** The SQL that inserts so many rows, of which few match, that a scan of the table is never the fastest plan. */
const fill = `
  INSERT INTO test_boxes (_key, _version, _body, labels, name, parent, state, size, create_time)
  SELECT 'id-' || i, 1, '{}', jsonb_build_object('number', (i / 20)::text), 'box', 'id-' || (i / 20), (ARRAY['NEW', 'OPEN', 'DONE'])[1 + i % 3], i,
    to_char(timestamp '2026-01-01' + i * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS".000000000Z"')
  FROM generate_series(1, 20000) AS i`

let place: string

beforeAll(async () => {
  place = await testPlace(() => undefined)
  await (await openPostgres({ url: place, collections: [collection] })).close()
  await statement(place, fill)
  await statement(place, 'VACUUM ANALYZE test_boxes')
})

const parent = 'id-7'

async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string> {
  const plans = await explain(place, await statementsOf(collection, postgresDialect, read))
  expect(plans.length).toBeGreaterThan(0)
  return plans.join('\n')
}

async function first(documents: AsyncGenerator): Promise<void> {
  await documents.next()
}

describe('the plan of', () => {
  it.each<[string, (reader: Reader) => Promise<unknown>, RegExp]>([
    ['a look-up by a unique key', reader => reader.find(collection, { id: 'id-9' }), /Index Cond: \(_key = /],
    [
      'whether there is one',
      reader => reader.exists(collection, { parent, state: 'OPEN' }),
      /Index Cond: .*parent = .*state = /,
    ],
    [
      'the existence of a row for one of several values',
      reader => reader.exists(collection, { parent: [parent, 'id-8'], state: ['OPEN'] }),
      /Index Cond: .*parent = ANY .*state = ANY /,
    ],
    ['a count', reader => reader.count(collection, { parent }), /Index Cond: \(parent = /],
    [
      'a tally',
      reader => reader.tally(collection, 'state', { parent }),
      /Index Only Scan .*\n *Index Cond: \(parent = /,
    ],
    [
      'a tally below several',
      reader => reader.tally(collection, 'state', { parent: [parent, 'id-8'] }),
      /Index Cond: \(parent = ANY /,
    ],
    ['a sum', reader => reader.sum(collection, 'size', { parent }), /Index Cond: \(parent = /],
    ['going through all', reader => first(reader.each(collection, {}, 'id-5')), /Index Cond: \(_key > /],
    [
      'going through those of a parent',
      reader => first(reader.each(collection, { parent }, 'id-5')),
      /Index Cond: .*parent = /,
    ],
    [
      'the ancestors',
      reader => reader.above(collection, 'parent', [parent, 'id-19000']),
      /Index Cond: \(_key = tree\w*.parent\)/,
    ],
    [
      'the descendants',
      reader => reader.below(collection, 'parent', [parent, 'id-19000']),
      /Index Cond: \(parent = tree\w*.id\)/,
    ],
    [
      'a list by ids',
      reader => reader.page(collection, query(), { id: ['id-1', 'id-2'] }),
      /Index Cond: \(_key = ANY /,
    ],
    [
      'a list by an entry of an indexed map',
      reader =>
        reader.page(
          collection,
          query({ filter: { kind: 'compare', field: labels, key: 'number', operator: '=', value: '7' } }),
        ),
      /Index Cond: \(labels @> /,
    ],
  ])('%s uses an index', async (_name, read, by) => {
    const plan = await plansOf(read)
    expect(plan).toMatch(by)
    expect(plan).not.toMatch(/Seq Scan on test_boxes/)
  })

  const derived: Derived = {
    from: ['parent', 'state'],
    fields: [rank, isNear],
    rows: Array.from({ length: 50 }, (_, i) => ({ from: [`id-${i}`, 'NEW'], values: [i, i % 2 === 0] })),
  }
  const near: Filter = { kind: 'compare', field: isNear, operator: '=', value: true }
  const variants: readonly [string, Partial<ListQuery>][] = [
    ['by a derived field', { filter: near }],
    ['by a field that is not derived', { filter: { kind: 'not', term: near } }],
    ['behind a row', { filter: near, after: ['2026-01-01T00:00:00.000000000Z', 'a'] }],
    ['sorted by a derived field first', { order: [{ field: rank, descending: true }, ...query().order] }],
  ]

  it.each(variants)(
    'a page with derived fields %s reads the first rows for each entry of the table from an index',
    async (_, more) => {
      const plan = await plansOf(reader => reader.page(collection, query({ size: 5, ...more }), {}, { derived }))
      expect(plan).toMatch(/Index Cond: \(\(?\(?parent = _derived\._key_0\) AND \(state = _derived\._key_1\)/)
      expect(plan).not.toMatch(/Seq Scan on test_boxes/)
    },
  )
})
