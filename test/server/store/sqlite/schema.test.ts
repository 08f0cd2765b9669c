import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import type { ListFields, SortKey } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { storeFormat } from '../../../../server/store/format.ts'
import { layoutOf } from '../../../../server/store/layout.ts'
import { selectPage } from '../../../../server/store/select.ts'
import { sqliteDialect } from '../../../../server/store/sqlite/dialect.ts'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { boxes, boxFields, nameTaken, testFolder, type Box } from '../harness.ts'

const bare: Collection<Box> = { name: 'test_boxes', id: 'id' }

async function opened<R>(
  file: string,
  collection: Collection<Box>,
  use: (store: Awaited<ReturnType<typeof openSqlite>>) => Promise<R>,
  format = storeFormat,
): Promise<R> {
  const store = await openSqlite({ file, collections: [collection], format })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

function inFile<R>(file: string, use: (database: DatabaseSync) => R): R {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const indexesOf = (file: string): string[] =>
  inFile(file, database =>
    database
      .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`)
      .all()
      .map(row => String(row['sql'])),
  )

const document: Box = { id: 'a', name: 'box', parent: 'p', size: 7, create_time: '2026-01-01T01:00:00+01:00' }

describe('a store that is opened again', () => {
  it('fills a column again if its type changed', async () => {
    const file = join(testFolder(), 'store.sqlite')
    const mistaken: Collection<{ id: string; parent: number }> = {
      name: 'test_boxes',
      id: 'id',
      columns: { parent: 'INTEGER' },
      indexes: [['parent']],
    }
    const store = await openSqlite({ file, collections: [mistaken] })
    await store.tx(tx => tx.insert(mistaken, { id: 'a', parent: 12 }))
    await store.close()
    inFile(file, database => database.exec(`UPDATE test_boxes SET "_body" = '${JSON.stringify(document)}'`))
    await opened(file, boxes, async again => {
      expect((await again.find(boxes, { parent: 'p' }))?.id).toBe('a')
    })
  })

  it('creates the indexes of its version, and drops all others if the format is raised', async () => {
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, boxes, async () => undefined)
    const before = indexesOf(file)
    const other: Collection<Box> = { ...boxes, indexes: [['size']] }
    await opened(file, other, async () => undefined)
    const both = indexesOf(file)
    expect(before).toHaveLength(3)
    expect(before.join()).toContain('("parent", "create_time" DESC, "_key")')
    expect(both.join()).toContain('("size", "_key")')
    expect(both).toEqual(expect.arrayContaining(before))
    await opened(file, other, async () => undefined, 2)
    expect(indexesOf(file).join()).not.toContain('("parent", "create_time"')
    await opened(file, boxes, async () => undefined, 3)
    expect(indexesOf(file)).toEqual(before)
  })

  it('keeps other tables writable for older servers if the format is raised', async () => {
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, boxes, async older => {
      const besideOlder = await older.beside('leases', [boxes])
      await opened(
        file,
        boxes,
        async newer => {
          const besideNewer = await newer.beside('leases', [boxes])
          await expect(older.tx(tx => tx.insert(boxes, document))).rejects.toThrow('a newer version')
          await besideOlder.tx(tx => tx.insert(boxes, document))
          expect((await besideNewer.get(boxes, 'a'))?.value).toEqual(document)
        },
        2,
      )
    })
  })

  it('drops indexes that older versions named in another way', async () => {
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, boxes, async () => undefined)
    const made = indexesOf(file)
    inFile(file, database => {
      database.exec('CREATE UNIQUE INDEX test_boxes_index_1 ON test_boxes ("parent", "name")')
      database.exec('DELETE FROM ninefold_migrations WHERE number = 3; DROP TABLE ninefold_formats')
    })
    await opened(file, boxes, async () => undefined)
    expect(indexesOf(file)).toEqual(made)
  })

  it('refuses a file that a newer version has written', async () => {
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, bare, async () => undefined)
    inFile(file, database => database.exec('INSERT INTO ninefold_migrations (number) VALUES (999)'))
    await expect(openSqlite({ file })).rejects.toThrow('schema version 999')
  })
})

describe('the plan of a list', () => {
  const byName: ListFields = { ...boxFields, defaultOrder: 'name' }
  const byState: ListFields = { ...boxFields, defaultOrder: 'state desc, name' }
  const variants: readonly [string, Collection<Box>, Partial<Record<string, string>>, readonly SortKey[]][] = [
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
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, collection, async store => {
      await store.tx(tx => tx.insert(collection, document))
    })
    const query: ListQuery = {
      size: 20,
      filter: undefined,
      order: checkOrder(undefined, collection.list ?? boxFields),
      after: undefined,
      now: 0,
    }
    const layout = layoutOf(collection, sqliteDialect)
    const narrowed = Object.fromEntries(Object.entries(where).map(([name, value]) => [name, value ?? null]))
    const request = { query, where: narrowed, derived: undefined, members: [] }
    const statements = [
      ...selectPage(layout, request),
      ...selectPage(layout, { ...request, query: { ...query, after } }),
    ]
    expect(statements.length).toBeGreaterThan(1)
    inFile(file, database => {
      for (const { sql, parameters } of statements) {
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
        const steps = plan.map(row => String(row['detail'])).join('; ')
        expect(`${steps} of ${sql}`).toMatch(/USING INDEX/)
        expect(`${steps} of ${sql}`).not.toMatch(/TEMP B-TREE/)
      }
    })
  })

  it('uses the unique index to find a document by its unique members', async () => {
    const collection: Collection<Box> = { ...boxes, uniques: [{ fields: ['name'], taken: nameTaken }] }
    const file = join(testFolder(), 'store.sqlite')
    await opened(file, collection, async () => undefined)
    inFile(file, database => {
      const [step] = database.prepare(`EXPLAIN QUERY PLAN SELECT * FROM test_boxes WHERE "name" IS ?`).all('x')
      expect(String(step?.['detail'])).toMatch(/SEARCH test_boxes USING INDEX/)
    })
  })
})
