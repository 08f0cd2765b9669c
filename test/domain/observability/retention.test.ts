import { expect, it, onTestFinished } from 'vitest'
import { activityCollection, chainCollection } from '../../../domain/observability/activities/activities-store.ts'
import { activityRetention } from '../../../domain/observability/activities/activity-retention.ts'
import { chained, newChain } from '../../../domain/observability/activities/hash-chain.ts'
import { activityOf } from '../../../domain/observability/activities/sequenced-activity.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { olderRow } from './older-row.ts'

const organisation = '01900000-0000-7000-8000-0000000000aa'
const dayMs = 86_400_000

it('activities are deleted after 400 days, and the rest of their chain is sound', async () => {
  const place = await testStorePlace(onTestFinished)
  await whileOpen(place, async () => {})
  const store = await openBeside(place, storeCollections(areas))
  onTestFinished(() => store.close())
  const now = Date.now()
  let last = newChain(organisation)
  await store.tx(async tx => {
    for (let i = 0; i < 250; i += 1) {
      const id = `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`
      const time = new Date(now - (i < 230 ? 401 : 399) * dayMs).toISOString()
      const row = { ...olderRow, id, time, organisation_id: organisation, scope_id: organisation }
      const activity = chained(activityOf({ ...row, scope_type: 'ORGANISATION' }), last)
      await tx.insert(activityCollection, activity)
      last = { ...last, sequence: activity.sequence, hash: activity.hash }
    }
    await tx.insert(chainCollection, last)
  })
  expect(await doctorFindings(place)).toEqual([])
  const run = (clockMs: number) =>
    activityRetention({ store, clock: createClock(() => clockMs) }).run({
      signal: new AbortController().signal,
      tx: fn => store.tx(fn),
    })
  const kept = () => store.count(activityCollection, { chain_id: organisation })
  await run(now)
  expect(await kept()).toBe(20)
  expect((await store.get(chainCollection, organisation))?.value).toMatchObject({ first_sequence: 231, sequence: 250 })
  expect(await doctorFindings(place)).toEqual([])
  await run(now + 2 * dayMs)
  expect(await kept()).toBe(0)
  expect(await doctorFindings(place)).toEqual([])
})
