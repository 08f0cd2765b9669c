import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { newerParcels, olderParcels, type Parcel } from '../contract/migrating-worker.ts'
import { statement, storeAt, testPlace } from '../harness.ts'
import { openPlace } from '../place.ts'

const program = fileURLToPath(new URL('../contract/migrating-worker.ts', import.meta.url))

/**
 * An older version of the collection that already has the column: the migration to the newer version adds only the
 * index.
 */
const plain: Collection<Parcel> = { ...newerParcels, indexes: [] }
const weightTaken = (): ApiError =>
  new ApiError({ reason: 'PARCEL_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' }, 'a parcel weighs as much')
const unique: Collection<Parcel> = { ...plain, uniques: [{ fields: ['weight'], taken: weightTaken }] }

async function connected(place: string): Promise<Client> {
  const client = new Client(place)
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

/** Returns for each index of parcels, apart from the primary key, whether the index is valid. */
async function indexesIn(client: Client): Promise<readonly boolean[]> {
  const { rows } = await client.query<{ whole: boolean }>(
    `SELECT indisvalid AS whole FROM pg_index WHERE indrelid = 'test_parcels'::regclass AND NOT indisprimary`,
  )
  return rows.map(({ whole }) => whole)
}

/** Opens a transaction with an old snapshot. An index is not complete before the transaction ends. */
async function oldReader(place: string): Promise<Client> {
  const client = await connected(place)
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query('SELECT 1')
  return client
}

/** Opens a transaction that may write without the new index. The index is not filled before the transaction ends. */
async function oldWriter(place: string): Promise<Client> {
  const client = await connected(place)
  await client.query('BEGIN; LOCK TABLE test_parcels IN ROW EXCLUSIVE MODE')
  return client
}

/**
 * Starts to open a store. Returns the promise of the store, and `isOver`, which turns true when the promise is settled.
 */
function opening(place: string, collection: Collection<Parcel>) {
  const state = { isOver: false, store: openPlace(place, [collection]) }
  const end = (): void => void (state.isOver = true)
  state.store.then(end, end)
  onTestFinished(() =>
    state.store.then(
      store => store.close(),
      () => undefined,
    ),
  )
  return state
}

async function filled(place: string, collection: Collection<Parcel>): Promise<ServerStore> {
  const older = await storeAt(place, collection)
  await older.tx(async tx => {
    for (let i = 0; i < 100; i += 1) await tx.insert(collection, { id: `p-${i}`, weight: i })
  })
  return older
}

/** Locks, updates, inserts, reads and deletes a row through an older server. */
async function use(older: ServerStore, collection: Collection<Parcel>, id: string): Promise<void> {
  await older.tx(async tx => {
    const row = await tx.lock(collection, 'p-1')
    if (row === undefined) throw new Error('the parcel does not exist')
    await tx.update(collection, 'p-1', row.value, row.version)
    await tx.insert(collection, { id, weight: 1000 })
  })
  expect((await older.get(collection, id))?.value.weight).toBe(1000)
  await older.tx(tx => tx.delete(collection, id, 1))
}

/** Starts a process of a newer server, and kills the process while it builds an index. */
async function killedWhileBuilding(place: string, client: Client): Promise<void> {
  const child = spawn(process.execPath, [program, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout }), 'line')
  await expect.poll(() => indexesIn(client)).toEqual([false])
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Sets the ends of all build leases into the past. */
const expireLeases = (place: string): Promise<void> =>
  statement(place, `UPDATE ninefold_builds SET lease_end = now() - interval '1 second'`)

it.each([
  ['over columns that are there', plain],
  ['over a new column', olderParcels],
])('an older server reads and writes while an index %s is built', async (_name, version) => {
  const place = await testPlace()
  const older = await filled(place, version)
  const client = await connected(place)
  const reader = await oldReader(place)
  const newer = opening(place, newerParcels)
  await expect.poll(() => indexesIn(client)).toContain(false)
  for (let i = 0; i < 20; i += 1) await use(older, version, `q-${i}`)
  expect(newer.isOver).toBe(false)
  await reader.query('COMMIT')
  const store = await newer.store
  expect(await indexesIn(client)).toEqual([true])
  expect(await store.count(newerParcels)).toBe(100)
})

it('servers that start concurrently build an index once, and all of them find it', async () => {
  const place = await testPlace()
  await filled(place, plain)
  const client = await connected(place)
  const reader = await oldReader(place)
  const servers = [1, 2, 3].map(() => opening(place, newerParcels))
  await expect.poll(() => indexesIn(client)).toEqual([false])
  expect(servers.map(({ isOver }) => isOver)).toEqual([false, false, false])
  await reader.query('COMMIT')
  const stores = await Promise.all(servers.map(({ store }) => store))
  expect(await indexesIn(client)).toEqual([true])
  for (const store of stores) expect(await store.count(newerParcels, { weight: 7 })).toBe(1)
})

it('an index whose server was killed is used if the database has completed it', async () => {
  const place = await testPlace()
  const older = await filled(place, plain)
  const client = await connected(place)
  const reader = await oldReader(place)
  await killedWhileBuilding(place, client)
  await expireLeases(place)
  const newer = opening(place, newerParcels)
  await use(older, plain, 'q')
  await reader.query('COMMIT')
  await newer.store
  expect(await indexesIn(client)).toEqual([true])
})

it.each([
  ['a newer server builds it again', newerParcels, [true]],
  ['an older one drops it', plain, []],
])('an interrupted index is left to no server: %s', async (_name, next, expected) => {
  const place = await testPlace()
  const older = await filled(place, plain)
  const client = await connected(place)
  const reader = await oldReader(place)
  await killedWhileBuilding(place, client)
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%CONCURRENTLY%test_parcels%' AND pid <> pg_backend_pid()`,
  )
  await reader.query('COMMIT')
  expect(await indexesIn(client)).toEqual([false])
  await expireLeases(place)
  const store = await storeAt(place, next)
  expect(await indexesIn(client)).toEqual(expected)
  await use(older, plain, 'q')
  expect(await store.count(next)).toBe(100)
})

it('a unique set that older servers violate during its build leaves no index that refuses their writes', async () => {
  const place = await testPlace()
  const older = await filled(place, plain)
  const client = await connected(place)
  const writer = await oldWriter(place)
  const newer = opening(place, unique)
  await expect.poll(() => indexesIn(client)).toEqual([false])
  await older.tx(tx => tx.insert(plain, { id: 'twice', weight: 7 }))
  await writer.query('COMMIT')
  await expect(newer.store).rejects.toThrow('"p-7" and "twice" have weight "7"')
  expect(await indexesIn(client)).toEqual([])
  await older.tx(tx => tx.insert(plain, { id: 'thrice', weight: 7 }))
})

it('a write that would violate a nearly complete unique set is refused to older servers because of a newer version', async () => {
  const place = await testPlace()
  const older = await filled(place, plain)
  const reader = await oldReader(place)
  const newer = opening(place, unique)
  const twice = (i: number): Promise<unknown> =>
    older.tx(async tx => {
      await tx.insert(plain, { id: `twice-${i}`, weight: 7 })
      // The rollback keeps the duplicate weight out of the index build until the index checks new rows.
      throw new Error('undone')
    })
  const refused = expect.objectContaining({
    reason: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('a newer version'),
  })
  let tries = 0
  await expect.poll(() => twice((tries += 1)).catch((error: unknown) => error)).toEqual(refused)
  await older.tx(tx => tx.insert(plain, { id: 'once', weight: 1000 }))
  await reader.query('COMMIT')
  const store = await newer.store
  expect(await store.count(unique)).toBe(101)
})

it('a server that raises the format waits for transactions that have already compared the generation', async () => {
  const place = await testPlace()
  await filled(place, plain)
  const writer = await connected(place)
  await writer.query('BEGIN')
  await writer.query('SELECT max(number) FROM ninefold_generations')
  const client = await connected(place)
  const newer = openPlace(place, [plain], 2)
  onTestFinished(async () => (await newer).close())
  const waiting = `SELECT count(*)::int AS many FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE ninefold_generations%'`
  await expect.poll(async () => (await client.query<{ many: number }>(waiting)).rows[0]?.many).toBe(1)
  const { rows } = await client.query('SELECT number FROM ninefold_formats')
  expect(rows).toEqual([{ number: '1' }])
  await writer.query('COMMIT')
  await newer
})
