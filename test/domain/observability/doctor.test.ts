import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  activityCollection,
  chainCollection,
  type StoredActivity,
} from '../../../domain/observability/activities/activities-store.ts'
import { hashOf } from '../../../domain/observability/activities/hash-chain.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { areas } from '../../../server/areas.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { olderRow } from './older-row.ts'
import { afterTests } from '../../undo.ts'

let left: StorePlace
let chain: readonly StoredActivity[]

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  await whileOpen(left, async ({ observability, taxonomy }) => {
    const { resource_id: id } = await taxonomy.createOrganisation({ body: { name: 'acme' } })
    for (const name of ['A', 'B', 'C', 'D', 'E'])
      await taxonomy.updateOrganisation({ id, body: { display_name: name }, update_mask: 'display_name' })
    const filter = `scope_id = "${id}"`
    const listed = async () => (await observability.listActivities({ filter, order_by: 'sequence' })).activities
    await vi.waitFor(async () => expect(await listed()).toHaveLength(6), { timeout: 60_000 })
    chain = (await listed()).map(activity => ({ ...activity, chain_id: id }))
  })
})

const at = (sequence: number): StoredActivity => {
  const found = chain[sequence - 1]
  if (!found) throw new Error(`there is no activity ${sequence}`)
  return found
}

async function replace(tx: Transaction, sequence: number, members: Partial<StoredActivity>): Promise<void> {
  const stored = await tx.lock(activityCollection, at(sequence).id)
  if (!stored) throw new Error(`activity ${sequence} is not stored`)
  await tx.update(activityCollection, stored.id, { ...stored.value, ...members }, stored.version)
}

async function remove(tx: Transaction, sequence: number): Promise<void> {
  const stored = await tx.lock(activityCollection, at(sequence).id)
  if (stored) await tx.delete(activityCollection, stored.id, stored.version)
}

/** Returns an activity with other members and the hash of its content. */
const rehashed = (activity: StoredActivity, members: Partial<StoredActivity>): StoredActivity => {
  const changed = { ...activity, ...members }
  return { ...changed, hash: hashOf(changed) }
}

const inserted = '01900000-0000-7000-8000-0000000000aa'

const tampers: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
  [
    'an altered activity',
    tx => replace(tx, 3, { principal_id: inserted }),
    () => [`${at(3).id}: has other content than its hash says: it was altered`],
  ],
  [
    'an altered activity whose hash was computed anew',
    tx => replace(tx, 3, rehashed(at(3), { principal_id: inserted })),
    () => [`${at(4).id}: does not continue the hash of activity 3: that one was replaced or moved`],
  ],
  [
    'an activity that was deleted',
    tx => remove(tx, 3),
    () => [`${at(4).id}: is activity 4 of its chain, but activity 3 is missing before it`],
  ],
  [
    'the first activity that was deleted',
    tx => remove(tx, 1),
    () => [`${at(2).id}: is activity 2 of its chain, but activity 1 is missing before it`],
  ],
  [
    'the last activities that were deleted',
    async tx => {
      await remove(tx, 6)
      await remove(tx, 5)
    },
    () => [`chain ${at(1).chain_id}: lacks the activities 5 to 6 at its end`],
  ],
  [
    'two activities in another order',
    async tx => {
      await replace(tx, 3, { sequence: 99 })
      await replace(tx, 4, { sequence: 3 })
      await replace(tx, 3, { sequence: 4 })
    },
    () => [
      `${at(4).id}: has other content than its hash says: it was altered`,
      `${at(3).id}: has other content than its hash says: it was altered`,
      `${at(5).id}: does not continue the hash of activity 4: that one was replaced or moved`,
    ],
  ],
  [
    'an activity that was inserted at the end',
    tx => {
      const { hash } = at(6)
      return tx.insert(activityCollection, rehashed(at(6), { id: inserted, sequence: 7, previous_hash: hash }))
    },
    () => [`chain ${at(1).chain_id}: ends with the activity 6, but has 7`],
  ],
  [
    'a chain whose ends are gone',
    async tx => {
      const stored = await tx.lock(chainCollection, at(1).chain_id)
      if (stored) await tx.delete(chainCollection, stored.id, stored.version)
    },
    () => [`chain ${at(1).chain_id}: has 6 activities, but the row with its ends is missing`],
  ],
]

describe('the doctor', () => {
  it('finds nothing in a sound chain', async () => expect(await doctorFindings(left)).toEqual([]))

  it.each(tampers)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place)).toEqual(expected().map(each => `observability.activities ${each}`))
  })

  it('finds nothing after activities of an earlier version got their places', async () => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(async tx => {
      for (let i = 0; i < 450; i += 1) {
        const id = `01800000-0000-7000-8000-${String(i).padStart(12, '0')}`
        await tx.insert(outbox, { ...olderRow, id, organisation_id: i % 2 === 0 ? at(1).chain_id : '' })
      }
    })
    await whileOpen(place, async ({ observability }) => {
      const filter = 'action = "olderAction" AND time < "2026-01-02T00:00:00Z"'
      const found = async () => {
        let count = 0
        for await (const { code, user_agent } of observability.iterateActivities({ filter, page_size: 100 }))
          if (code === 0 && user_agent === '') count += 1
        return count
      }
      await expect.poll(found).toBe(450)
    })
    expect(await store.count(outbox, { time: olderRow.time })).toBe(0)
    await store.close()
    expect(await doctorFindings(place)).toEqual([])
  })
})
