import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Collection, Reader } from '../../../domain/ports/store.ts'
import { dueWork } from '../../../server/operations/claim.ts'
import { compare, column, compareTime, firstRows } from '../../../server/store/row-filters.ts'
import { works, workFields } from '../../../server/operations/work.ts'
import { operationsCollection } from '../../../server/operations/area-records.ts'
import { postgresDialect } from '../../../server/store/postgres/dialect.ts'
import { sqliteDialect } from '../../../server/store/sqlite/dialect.ts'
import { operationFields, type SampleOperation } from '../sample-area.ts'
import { withOptions } from '../../postgres/address.ts'
import { postgresUrl, storeAt, testPlace } from '../store/harness.ts'
import { explain as explainPostgres } from '../store/postgres/explain.ts'
import { statementsOf } from '../store/statements.ts'

const { id, kind, lane, runAfter, deadline } = workFields
const due = compareTime(runAfter, '<=', 0)
const operations = operationsCollection<SampleOperation>('sample', operationFields)
const [status, insertTime] = [column('status', 'ENUM'), column('insert_time', 'TIMESTAMP')]

type Case = readonly [name: string, collection: Collection<never>, read: (reader: Reader) => Promise<unknown>]

const cases: readonly Case[] = [
  [
    'the next lane with work that is due',
    works,
    reader => dueWork(reader, { kinds: ['a.b', 'a.c'], count: 8, after: 'x', room: () => 8, except: new Map() }),
  ],
  [
    'the work that is due in a lane',
    works,
    reader => reader.page(works, firstRows(8, compare(kind, '=', 'a.b'), runAfter, id), { state: 'QUEUED', lane: 'x' }),
  ],
  [
    'work whose delay is over',
    works,
    reader => reader.page(works, firstRows(100, due, runAfter, id), { state: 'WAITING' }),
  ],
  [
    'leased work',
    works,
    reader => reader.page(works, firstRows(100, undefined, lane, runAfter, id), { state: 'LEASED' }),
  ],
  ['overdue work', works, reader => reader.page(works, firstRows(100, compareTime(deadline, '<=', 0), deadline, id))],
  [
    'a list of operations that are pending',
    operations,
    reader => {
      const order = [
        { field: insertTime, descending: true },
        { field: column('id', 'STRING'), descending: false },
      ]
      return reader.list(operations, { ...firstRows(20, compare(status, '=', 'PENDING')), order })
    },
  ],
]

/** Returns the plans of the statements of a case on the present kind of store, with a line for each step. */
async function plansOf([, collection, read]: Case): Promise<string> {
  const place = await testPlace()
  await storeAt(place, collection)
  if (postgresUrl() !== undefined) {
    // PostgreSQL would scan and sort an empty table at no cost; the settings make scans and sorts expensive.
    const forced = withOptions(place, '-c enable_seqscan=off -c enable_sort=off -c enable_bitmapscan=off')
    return (await explainPostgres(forced, await statementsOf(collection, postgresDialect, read))).join('\n')
  }
  const database = new DatabaseSync(place, { readOnly: true })
  try {
    return (await statementsOf(collection, sqliteDialect, read))
      .flatMap(({ parameters, sql }) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters))
      .map(({ detail }) => String(detail))
      .join('\n')
  } finally {
    database.close()
  }
}

it.each(cases)('%s is read by an index in order', async (...each) => {
  const plans = await plansOf(each)
  expect(plans).toMatch(postgresUrl() === undefined ? /SEARCH .* USING INDEX/ : /Index Scan|Index Cond/)
  expect(plans).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY|Seq Scan|Sort Key/)
})
