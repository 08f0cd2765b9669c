import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import type { ListFields, SortKey } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { storeFormat } from '../../../../server/store/format.ts'
import { layoutOf } from '../../../../server/store/layout.ts'
import { openPostgres } from '../../../../server/store/postgres.ts'
import { postgresDialect } from '../../../../server/store/postgres/dialect.ts'
import { numbered } from '../../../../server/store/postgres/placeholders.ts'
import { selectPage } from '../../../../server/store/select.ts'
import { withOptions } from '../../../postgres/address.ts'
import { boxes, boxFields, statement, storeAt, testPlace, type Box } from '../harness.ts'

async function rows(url: string, sql: string, parameters: readonly unknown[] = []): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query<unknown[]>({ text: sql, values: [...parameters], rowMode: 'array' })
    return result.rows.map(row => row.join(' '))
  } finally {
    await client.end()
  }
}

const indexesOf = (url: string): Promise<string[]> =>
  rows(
    url,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'test_boxes' ORDER BY indexname`,
  )

async function reopen(url: string, collection: Collection<Box>, format = storeFormat): Promise<void> {
  const store = await openPostgres({ url, collections: [collection], format })
  await store.close()
}

describe('a database that is opened again', () => {
  it('creates the indexes of its version, and drops all others if the format is raised', async () => {
    const url = await testPlace()
    await reopen(url, boxes)
    const before = await indexesOf(url)
    const other: Collection<Box> = { ...boxes, indexes: [['size']] }
    await reopen(url, other)
    const both = await indexesOf(url)
    expect(before).toHaveLength(5)
    expect(before.join()).toContain('(parent, create_time DESC NULLS LAST, _key)')
    expect(both.join()).toContain('(size, _key)')
    expect(both).toEqual(expect.arrayContaining(before))
    await reopen(url, other, 2)
    expect((await indexesOf(url)).join()).not.toContain('(parent, create_time')
    await reopen(url, boxes, 3)
    expect(await indexesOf(url)).toEqual(before)
  })

  it('drops indexes that older versions named in another way', async () => {
    const url = await testPlace()
    await reopen(url, boxes)
    const made = await indexesOf(url)
    await statement(
      url,
      'CREATE UNIQUE INDEX test_boxes_index_1 ON test_boxes (parent, name); ' +
        'DELETE FROM ninefold_migrations WHERE number > 3; DROP TABLE ninefold_formats, ninefold_builds; ' +
        `UPDATE ninefold_tables SET definition = jsonb_set(definition::jsonb, '{indexes}', '{"test_boxes_index_1": "CREATE UNIQUE INDEX"}')::text`,
    )
    await reopen(url, boxes)
    expect(await indexesOf(url)).toEqual(made)
  })

  it('keeps the index of a column whose type changed', async () => {
    const url = await testPlace()
    const sizes: Collection<Box> = { name: 'test_boxes', id: 'id', columns: { size: 'STRING' }, indexes: [['size']] }
    await reopen(url, sizes)
    const before = await indexesOf(url)
    await reopen(url, { ...sizes, columns: { size: 'INTEGER' } })
    expect(await indexesOf(url)).toEqual(before)
    expect(before).toHaveLength(2)
  })

  it('is refused when a newer version has written it', async () => {
    const url = await testPlace()
    await reopen(url, boxes)
    await statement(url, 'INSERT INTO ninefold_migrations (number) VALUES (999)')
    await expect(openPostgres({ url })).rejects.toThrow('schema version 999')
  })
})

describe('the plan of a list', () => {
  const byName: ListFields = { ...boxFields, defaultOrder: 'name' }
  const byState: ListFields = { ...boxFields, defaultOrder: 'state desc, name' }
  const variants: readonly [string, Collection<Box>, Readonly<Record<string, string>>, readonly SortKey[]][] = [
    ['by time, newest first', boxes, {}, ['2026-01-01T00:00:00.000000000Z', 'a']],
    ['by time below a parent', boxes, { parent: 'p' }, ['2026-01-01T00:00:00.000000000Z', 'a']],
    [
      'by time below the parent where alone it is listed',
      { ...boxes, indexes: [], listedBelow: 'parent' },
      { parent: 'p' },
      ['2026-01-01T00:00:00.000000000Z', 'a'],
    ],
    ['by name', { ...boxes, list: byName }, {}, ['n', 'a']],
    ['by an enum in its declared order', { ...boxes, list: byState }, {}, ['OPEN', 'n', 'a']],
  ]

  it.each(variants)('%s reads an index in order, page after page', async (_name, collection, where, after) => {
    const place = await testPlace()
    await storeAt(place, collection)
    const query: ListQuery = {
      size: 20,
      filter: undefined,
      order: checkOrder(undefined, collection.list ?? boxFields),
      after: undefined,
      now: 0,
    }
    const layout = layoutOf(collection, postgresDialect)
    const request = { query, where, derived: undefined, members: [] }
    const statements = [
      ...selectPage(layout, request),
      ...selectPage(layout, { ...request, query: { ...query, after } }),
    ]
    expect(statements.length).toBeGreaterThan(1)
    // PostgreSQL scans an empty table sequentially unless the settings forbid these scans.
    const url = withOptions(place, '-c enable_seqscan=off -c enable_bitmapscan=off')
    for (const { sql, parameters } of statements) {
      const plan = (await rows(url, `EXPLAIN ${numbered(sql)}`, parameters)).join('; ')
      expect(`${plan} of ${sql}`).toMatch(/Index Scan using/)
      expect(`${plan} of ${sql}`).not.toMatch(/Sort|Seq Scan/)
    }
  })
})
