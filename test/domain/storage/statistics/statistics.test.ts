import { describe, expect, it } from 'vitest'
import { bucketCollection } from '../../../../domain/storage/buckets/buckets-store.ts'
import { pointCollection, gaugeCollection } from '../../../../domain/storage/statistics/points-store.ts'
import { endGauges, recordGauges, recordTraffic } from '../../../../domain/storage/statistics/record-statistics.ts'
import { retainPoints } from '../../../../domain/storage/statistics/retain-points.ts'
import { Traffic } from '../../../../domain/storage/statistics/traffic.ts'
import type { GetBucketMetricHistoryRequest } from '../../../../output/storage/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { absentId } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage } from '../tenant-storage.ts'

const of = { id: 'a', workspace_id: 'w', engine: 'native' }

describe('the traffic of buckets', () => {
  it('is counted for each minute until it is taken', () => {
    let now = 59_999
    const traffic = new Traffic(() => now)
    traffic.count(of, { requests_read: 1, bytes_egress: 5 })
    traffic.count(of, { requests_read: 1, bytes_egress: 0 })
    traffic.count({ ...of, id: 'b' }, { errors_client: 0 })
    now = 60_000
    traffic.count(of, { requests_write: 1 })
    const taken = traffic.take()
    expect(taken.map(({ atMs, counts }) => [atMs, counts])).toEqual([
      [59_999, { requests_read: 2, bytes_egress: 5 }],
      [60_000, { requests_write: 1 }],
    ])
    expect(traffic.take()).toEqual([])
    traffic.putBack(taken)
    traffic.count(of, { requests_write: 1 })
    expect(traffic.take().map(({ counts }) => counts)).toEqual([
      { requests_read: 2, bytes_egress: 5 },
      { requests_write: 2 },
    ])
  })
})

const minute = 60_000
const hour = 60 * minute

/**
 * A tenant, and the minutely work of statistics at chosen times, which begin `offset` milliseconds from now. The server
 * itself records the present time.
 */
async function recorded(offset: number) {
  const tenant = await tenantStorage()
  const { at, platform } = tenant
  const store = await openBeside(platform.config, storeCollections(areas))
  const time = { now: Math.floor(Date.now() / hour) * hour + offset }
  const traffic = new Traffic(() => time.now)
  const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
  const environment = { store, clock: { now: () => time.now, newId: () => '' }, traffic }
  const setBytes = (bytes: number) =>
    store.tx(async tx => {
      const stored = await tx.lock(bucketCollection, at.bucket)
      if (!stored) throw new Error('the bucket is absent')
      const usage = { ...stored.value.usage, bytes }
      await tx.update(bucketCollection, stored.id, { ...stored.value, usage }, stored.version)
    })
  const record = async (now: number) => {
    time.now = now
    await recordTraffic(environment, turn)
    await recordGauges(environment, turn)
  }
  return { ...tenant, environment, record, setBytes, store, time, traffic, turn }
}

describe('the statistics of a bucket', () => {
  it('have a point for each minute with a change', async () => {
    const { admin, at, record, setBytes, store, time, traffic } = await recorded(-2 * hour)
    const start = time.now
    await record(start)
    await setBytes(5)
    await record(start + minute)
    await record(start + 2 * minute)
    traffic.count({ ...at, id: at.bucket, workspace_id: at.workspace }, { requests_read: 2, bytes_egress: 10 })
    await setBytes(3)
    await record(start + 3 * minute)
    const points = async (stat: 'bytes_stored' | 'requests_read') => {
      const found: (readonly [number, number])[] = []
      for await (const { value } of store.each(pointCollection, { bucket_id: at.bucket, stat }))
        found.push([(Date.parse(value.time) - start) / minute, value.value])
      return found.filter(([when]) => when >= 0 && when <= 3)
    }
    expect(await points('bytes_stored')).toEqual([
      [1, 5],
      [3, 3],
    ])
    expect(await points('requests_read')).toEqual([[2, 2]])
    const history = async (more: Partial<GetBucketMetricHistoryRequest>) => {
      const { series } = await admin.api.storage.getBucketMetricHistory({
        ...at,
        stat: 'bytes_stored',
        start_time: new Date(start).toISOString(),
        end_time: new Date(start + 5 * minute).toISOString(),
        interval: '60s',
        ...more,
      })
      return series.map(({ points: all }) => all.map(({ value }) => value))
    }
    expect(await history({})).toEqual([[0, 5, 5, 3, 3]])
    expect(await history({ bucket_id: at.bucket, stat: 'requests_read' })).toEqual([[0, 0, 2, 0, 0]])
    expect(await history({ interval: '300s' })).toEqual([[3]])
    expect(await history({ interval: '300s', aggregation: 'STORAGE_STAT_AGGREGATION_MAX' })).toEqual([[5]])
    expect(await history({ interval: '300s', aggregation: 'STORAGE_STAT_AGGREGATION_AVG' })).toEqual([[4]])
    const { stats } = await admin.api.storage.aggregateBucketStats({ ...at, stats: ['requests_read', 'bytes_stored'] })
    expect(stats).toMatchObject([
      { stat: 'bytes_stored', value: 3, unit: 'By', group: { bucket_id: '', storage_class: '' } },
      { stat: 'requests_read', unit: '1' },
    ])
    expect(stats[1]?.value).toBeGreaterThanOrEqual(2)
    const grouped = await admin.api.storage.aggregateBucketStats({
      ...at,
      stats: ['bucket_count'],
      group_by: 'STORAGE_STAT_GROUP_BY_STORAGE_CLASS',
    })
    expect(grouped.stats).toMatchObject([{ value: 1, group: { storage_class: 'standard' } }])
    await store.close()
  })

  it('are 0 after the deletion of the bucket, and are kept for 30 days with the last value before', async () => {
    const { at, environment, record, setBytes, store, time, turn } = await recorded(2 * hour)
    const start = time.now
    await setBytes(5)
    await record(start)
    await store.tx(async tx => {
      const bucket = await tx.get(bucketCollection, at.bucket)
      if (bucket) await endGauges(tx, bucket.value, start + minute)
    })
    const stored = async () => {
      const found: number[] = []
      for await (const { value } of store.each(pointCollection, { bucket_id: at.bucket, stat: 'bytes_stored' }))
        found.push(value.value)
      return found
    }
    expect((await stored()).slice(-2)).toEqual([5, 0])
    time.now = start + 30 * 24 * hour + minute
    await retainPoints(environment, turn)
    expect((await stored()).slice(-2)).toEqual([5, 0])
    time.now += 2 * minute
    await retainPoints(environment, turn)
    expect((await stored()).filter(value => value === 5)).toEqual([])
    time.now += 24 * hour
    await retainPoints(environment, turn)
    expect(await stored()).toEqual([])
    expect(await store.count(gaugeCollection)).toBe(0)
    await store.close()
  })
})

describe('a query for statistics', () => {
  it('names known statistics, a bucket of the workspace and a bounded range', async () => {
    const { admin, at } = await tenantStorage()
    const { storage } = admin.api
    const unknown = {
      reason: 'STAT_UNKNOWN',
      rpc: 'INVALID_ARGUMENT',
      code: 6_007_001,
      details: { badRequest: [{ field: 'stats' }] },
    }
    await expect(storage.aggregateBucketStats({ ...at, stats: ['bytes'] })).rejects.toMatchObject(unknown)
    await expect(storage.aggregateBucketStats({ ...at, bucket_id: absentId })).rejects.toMatchObject({
      reason: 'BUCKET_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'bucket_id' }], resource: { name: absentId } },
    })
    const history = (start_time: string, end_time: string) =>
      storage.getBucketMetricHistory({ ...at, stat: 'bytes_stored', start_time, end_time, interval: '60s' })
    await expect(history('2026-01-01T00:00:00Z', '2026-01-01T16:41:00Z')).rejects.toMatchObject({
      reason: 'METRIC_RANGE_TOO_LARGE',
      rpc: 'INVALID_ARGUMENT',
      code: 6_007_002,
      details: { badRequest: [{ field: 'start_time' }] },
    })
    const { series } = await history('2026-01-01T00:00:30Z', '2026-01-01T16:40:00Z')
    expect(series[0]?.points.length).toBe(1000)
    expect(series[0]?.points[0]).toEqual({ time: '2026-01-01T00:00:00.000Z', value: 0 })
    await expect(history('2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z')).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
    })
    const { stat_descriptors } = await storage.listStatDescriptors({ ...at, filter: 'kind=STORAGE_STAT_KIND_DELTA' })
    expect(stat_descriptors.map(({ name }) => name)).toEqual([
      'bytes_egress',
      'bytes_ingress',
      'errors_client',
      'errors_server',
      'requests_read',
      'requests_write',
    ])
    expect(stat_descriptors[0]).toMatchObject({ unit: 'By', engines: ['native'], retention: '2592000s' })
  })
})
