import { expect, it, onTestFinished } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { storeAt, testPlace } from '../harness.ts'
import { openPlace, openPlaceSnapshot } from '../place.ts'
import { newerParcels, olderParcels, type Parcel } from './migrating-worker.ts'

/**
 * The first of three versions of the collection, with a column for the weight. The second version has an index of the
 * column, and the third version has unique weights.
 */
const plain: Collection<Parcel> = { ...newerParcels, indexes: [] }
const indexed: Collection<Parcel> = newerParcels
const weightTaken = (): ApiError =>
  new ApiError({ reason: 'PARCEL_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' }, 'a parcel weighs as much')
const unique: Collection<Parcel> = { ...plain, uniques: [{ fields: ['weight'], taken: weightTaken }] }

async function ofFormat(place: string, collection: Collection<Parcel>, format: number): Promise<ServerStore> {
  const store = await openPlace(place, [collection], format)
  onTestFinished(() => store.close())
  return store
}

const insert = (store: ServerStore, id: string, weight: number): Promise<unknown> =>
  store.tx(tx => tx.insert(plain, { id, weight }))

/** Opens a snapshot, as the doctor does, and closes it. */
async function inspect(place: string, collection: Collection<Parcel>, format?: number): Promise<void> {
  await (await openPlaceSnapshot(place, [collection], format)).close()
}

it('a version that raises the format ends the writes of older servers, and older servers neither start nor check', async () => {
  const place = await testPlace()
  const older = await ofFormat(place, plain, 1)
  await insert(older, 'a', 1)
  const newer = await ofFormat(place, plain, 3)
  await insert(newer, 'b', 2)
  await expect(insert(older, 'c', 3)).rejects.toMatchObject({
    reason: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('a newer version'),
  })
  expect((await older.get(plain, 'b'))?.value.weight).toBe(2)
  for (const refused of [() => openPlace(place, [plain], 2), () => inspect(place, plain, 2)]) {
    await expect(refused()).rejects.toThrow(
      'a newer version of the server has changed the store: it has format 3, and this version knows format 2; ' +
        'start that version or a newer one, or restore a backup from before it',
    )
  }
  const beside = await ofFormat(place, plain, 3)
  await insert(newer, 'd', 4)
  await insert(beside, 'e', 5)
  expect(await beside.count(plain)).toBe(4)
  await inspect(place, plain, 3)
})

it('a version that raises the format leaves rows writable for older servers that every version writes in the same form', async () => {
  const place = await testPlace()
  const leases: Collection<Parcel> = { name: 'test_leases', id: 'id', isOfAnyVersion: true }
  const [older, newer] = [await openPlace(place, [plain, leases], 1), await openPlace(place, [plain, leases], 3)]
  for (const store of [older, newer]) onTestFinished(() => store.close())
  const renew = (weight: number): Promise<unknown> =>
    older.tx(async tx => {
      const row = await tx.lock(leases, 'a')
      return row ? tx.update(leases, 'a', { id: 'a', weight }, row.version) : tx.insert(leases, { id: 'a', weight })
    })
  await renew(1)
  await renew(2)
  expect((await newer.get(leases, 'a'))?.value.weight).toBe(2)
  const both = older.tx(async tx => {
    await tx.delete(leases, 'a', 2)
    await tx.insert(plain, { id: 'b', weight: 1 })
  })
  await expect(both).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(await newer.count(leases)).toBe(1)
  await older.tx(tx => tx.delete(leases, 'a', 2))
  expect(await newer.count(leases)).toBe(0)
})

it('an older version starts with an unknown index and table, and keeps them', async () => {
  const place = await testPlace()
  const older = await storeAt(place, plain)
  const other: Collection<Parcel> = { name: 'test_further', id: 'id' }
  const newer = await openPlace(place, [indexed, other])
  onTestFinished(() => newer.close())
  await insert(older, 'a', 1)
  const again = await storeAt(place, plain)
  await insert(again, 'b', 2)
  await inspect(place, plain)
  await newer.tx(tx => tx.insert(other, { id: 'c', weight: 3 }))
  expect(await newer.count(indexed, { weight: 2 })).toBe(1)
  expect(await again.count(plain)).toBe(2)
})

it('an older version is refused with an unknown unique set, and a running older server stops writing', async () => {
  const place = await testPlace()
  const older = await storeAt(place, plain)
  await insert(older, 'a', 1)
  const newer = await storeAt(place, unique)
  for (const weight of [1, 2]) {
    await expect(insert(older, 'b', weight)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('a newer version'),
    })
  }
  await expect(newer.tx(tx => tx.insert(unique, { id: 'c', weight: 1 }))).rejects.toMatchObject({
    reason: 'PARCEL_ALREADY_EXISTS',
  })
  for (const refused of [() => openPlace(place, [plain]), () => inspect(place, plain)]) {
    await expect(refused()).rejects.toThrow(
      'a newer version of the server has changed the store: table test_parcels has the unique set (weight), which this version does not know',
    )
  }
})

it('a unique set is dropped by a version that raises the format', async () => {
  const place = await testPlace()
  await ofFormat(place, unique, 1)
  const newer = await ofFormat(place, plain, 2)
  for (const id of ['a', 'b']) await insert(newer, id, 1)
  expect(await newer.count(plain, { weight: 1 })).toBe(2)
  await inspect(place, plain, 2)
})

it('a unique set that documents violate is reported with an example, and older servers continue', async () => {
  const place = await testPlace()
  const older = await storeAt(place, plain)
  for (const [id, weight] of [
    ['a', 5],
    ['b', 7],
    ['c', 5],
  ] as const) {
    await insert(older, id, weight)
  }
  await expect(openPlace(place, [unique])).rejects.toThrow(
    'documents in table test_parcels share weight, which this version takes for unique: "a" and "c" have weight "5"; ' +
      'change or delete one of them by the version that wrote them, and start this one again',
  )
  await insert(older, 'd', 7)
  await older.tx(async tx => {
    for (const id of ['c', 'd']) await tx.delete(plain, id, 1)
  })
  const newer = await storeAt(place, unique)
  expect(await newer.count(unique, { weight: 5 })).toBe(1)
  await expect(insert(newer, 'e', 7)).rejects.toThrow()
})

it('a unique set of a new column is reported with an example too', async () => {
  const place = await testPlace()
  const older = await storeAt(place, olderParcels)
  await older.tx(async tx => {
    for (const id of ['a', 'b', 'c']) await tx.insert(olderParcels, { id, weight: id === 'b' ? 7 : 5 })
  })
  await expect(openPlace(place, [unique])).rejects.toThrow('"a" and "c" have weight "5"')
  await older.tx(tx => tx.delete(olderParcels, 'a', 1))
  const newer = await storeAt(place, unique)
  expect(await newer.count(unique, { weight: 5 })).toBe(1)
})
