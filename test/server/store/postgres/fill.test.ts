import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { layoutOf } from '../../../../server/store/layout.ts'
import { postgresDialect } from '../../../../server/store/postgres/dialect.ts'
import { connectedClient } from '../../../../server/store/postgres/pool.ts'
import { PostgresSession } from '../../../../server/store/postgres/session.ts'
import { Prepared } from '../../../../server/store/postgres/statements.ts'
import { fillAhead } from '../../../../server/store/postgres/tables.ts'
import { newerParcels, olderParcels } from '../contract/migrating-worker.ts'
import { storeAt, testPlace } from '../harness.ts'
import { openPlaceSnapshot } from '../place.ts'

const newer = layoutOf(newerParcels, postgresDialect)

/**
 * Fills columns as a newer server does before it excludes other servers, and then closes the connection, as if this
 * server were killed. Returns the place to continue; undefined if no work is left.
 */
async function filledAhead(place: string, after = ''): Promise<string | undefined> {
  const client = await connectedClient(place)
  const session = new PostgresSession(client, new Prepared())
  try {
    return await session.transact(() => fillAhead(session, newer, after))
  } finally {
    await client.end()
  }
}

async function columnsOf(place: string): Promise<readonly string[]> {
  const client = new Client(place)
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'test_parcels'`,
  )
  return rows.map(({ name }) => name).toSorted()
}

it('the newer server finds all rows that an older server writes while columns are filled', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await older.tx(async tx => {
    for (const id of ['changed', 'deleted', 'kept']) await tx.insert(olderParcels, { id, weight: 1 })
  })
  expect(await filledAhead(place)).toBeUndefined()
  await older.tx(async tx => {
    await tx.update(olderParcels, 'changed', { id: 'changed', weight: 2 }, 1)
    await tx.delete(olderParcels, 'deleted', 1)
    await tx.insert(olderParcels, { id: 'made', weight: 2 })
  })
  const store = await storeAt(place, newerParcels)
  expect(await store.count(newerParcels, { weight: 1 })).toBe(1)
  expect(await store.count(newerParcels, { weight: 2 })).toBe(2)
  await expect(older.tx(tx => tx.insert(olderParcels, { id: 'late', weight: 3 }))).rejects.toThrow('a newer version')
  const snapshot = await openPlaceSnapshot(place, [newerParcels])
  onTestFinished(() => snapshot.close())
  for await (const { key } of snapshot.mismatches(newerParcels)) expect.fail(key)
  expect(await columnsOf(place)).toEqual(['_body', '_key', '_version', 'weight'])
})

it('a table is filled in batches, and no row twice', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await older.tx(async tx => {
    for (let i = 0; i < 1500; i += 1) await tx.insert(olderParcels, { id: `p-${10_000 + i}`, weight: 1 })
  })
  expect(await filledAhead(place)).toBe('p-10999')
  expect(await filledAhead(place, 'p-10999')).toBeUndefined()
  expect(await filledAhead(place)).toBeUndefined()
  expect(await (await storeAt(place, newerParcels)).count(newerParcels, { weight: 1 })).toBe(1500)
})

it('an older server that starts fills nothing ahead', async () => {
  const place = await testPlace()
  await storeAt(place, { ...newerParcels, columns: { ...newerParcels.columns, height: 'INTEGER' } })
  await expect(filledAhead(place)).rejects.toThrow('column height')
  expect(await columnsOf(place)).toEqual(['_body', '_key', '_version', 'height', 'weight'])
})
