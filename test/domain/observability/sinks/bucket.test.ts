import { beforeAll, describe, expect, it } from 'vitest'
import type { LogEntry } from '../../../../output/observability/types.ts'
import { dropReferencesOf } from '../../../../domain/resources/references.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const [logs, activities] = ['OBSERVABILITY_SINK_SOURCE_LOGS', 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'] as const

let served: ServedSinks

beforeAll(async () => void (served = await servedSinks(afterTests)), 120_000)

const toBucket = (prefix: string) => ({ bucket: { bucket_id: served.bucket, prefix, flush_interval: '60s' } })

const linesOf = (objects: ReadonlyMap<string, readonly LogEntry[]>): readonly string[] =>
  [...objects.values()].flat().map(({ line }) => line)

/** Returns the entries of a service as a query answers them, the oldest first. */
async function queried(service: string): Promise<readonly LogEntry[]> {
  const { plane, path } = served
  const times = { start_time: '2020-01-01T00:00:00Z', end_time: new Date(served.clock.now + 60_000).toISOString() }
  const body = {
    query: `{service_name="${service}"}`,
    direction: 'OBSERVABILITY_LOG_DIRECTION_FORWARD',
    ...times,
  } as const
  const { streams } = await plane.api.observability.queryLogs({ ...path, body })
  return streams.flatMap(({ entries, labels }) => entries.map(entry => ({ ...entry, labels })))
}

describe('a sink into a bucket', { timeout: 180_000 }, () => {
  it('writes exactly the entries of its filter as lines of an object (scenario 6)', async () => {
    await served.push('before', 'came in before the sink')
    const id = await served.create({
      name: 'scenario',
      sources: [logs],
      filter: '{service_name="api"} |= "GET"',
      exclusions: [
        { name: 'health', filter: '{service_name=~".+"} |= "/health"' },
        { name: 'unused', filter: '{service_name=~".+"}', disabled: true },
      ],
      destination: toBucket('logs'),
    })
    await served.push('api', 'GET /', 'POST /', 'GET /health', 'GET /é "quoted"')
    await served.push('db', 'GET nothing')
    await expect.poll(async () => (await served.get(id)).lag_seconds, { timeout: waitMs }).toBeGreaterThanOrEqual(0)
    served.passFlush()
    const sink = await served.exported(id, 2)
    expect(sink).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', last_error: '', lag_seconds: 0 })
    const objects = await served.objects('logs/')
    const [name = '', ...others] = objects.keys()
    expect(others).toEqual([])
    expect(name).toMatch(/^logs\/scenario\/\d{4}\/\d\d\/\d\d\/\d\d\/\d+-\d+\.ndjson\.gz$/)
    const wanted = (await queried('api')).filter(({ line }) => /GET \/(?!health)/.test(line))
    expect(objects.get(name)).toEqual(wanted)
    const [entry] = wanted
    expect(name).toContain(entry?.ingest_time.slice(0, 13).replaceAll(/[-T]/g, '/'))
    const { content_type } = await served.plane.api.storage.getObject({
      ...served.path,
      bucket: served.bucket,
      object: name,
    })
    expect(content_type).toBe('application/gzip')
  })

  it('exports from a time in the past on, and the activities of the workspace in a folder of their own', async () => {
    const { plane, path } = served
    await served.push('past', 'one', 'two')
    const id = await served.create({
      name: 'backfill',
      sources: [logs, activities],
      start_time: '2020-01-01T00:00:00Z',
      destination: toBucket('past'),
    })
    const told = async () => [...(await served.objects('past/backfill/activities/')).values()].flat()
    const creation = (entries: readonly LogEntry[]) =>
      entries.findIndex(({ line }) => JSON.parse(line).resource_id === id && line.includes('"createLogSink"'))
    // An activity is exported once it has its number.
    await expect
      .poll(
        async () => {
          served.passFlush()
          return creation(await told())
        },
        { timeout: waitMs, interval: 300 },
      )
      .toBeGreaterThanOrEqual(0)
    const entries = async () => [...(await served.objects('past/backfill/20')).values()].flat()
    const ofPast = async () => (await entries()).filter(({ labels }) => labels?.['service_name'] === 'past')
    await expect.poll(async () => (await ofPast()).length, { timeout: waitMs, interval: 300 }).toBeGreaterThan(0)
    expect(await ofPast()).toEqual(await queried('past'))
    const all = await told()
    const last = creation(all)
    const { activities: listed } = await plane.api.observability.listActivities({
      filter: `scope_id = "${path.workspace}"`,
      order_by: 'sequence',
      page_size: 100,
    })
    expect(all.map(({ line }) => JSON.parse(line))).toEqual(listed.slice(0, all.length))
    expect(all[last]?.labels).toEqual({
      source: 'activities',
      area: 'observability',
      category: 'ADMIN_WRITE',
      outcome: 'SUCCEEDED',
    })
    // The writes of the sink are no activities, which the sink would export for ever.
    expect(all).toHaveLength(last + 1)
    await served.exported(id, (await entries()).length + all.length)
  })

  it('keeps its place while it is paused', async () => {
    const id = await served.create({
      name: 'paused',
      enabled: false,
      sources: [logs],
      filter: '{service_name="paused"}',
      destination: toBucket('paused'),
    })
    await served.push('paused', 'one', 'two')
    served.passFlush()
    await expect.poll(async () => (await served.get(id)).lag_seconds, { timeout: waitMs }).toBeGreaterThanOrEqual(60)
    expect(await served.get(id)).toMatchObject({
      state: 'OBSERVABILITY_LOG_SINK_STATE_PAUSED',
      exported_entries: 0,
      last_error: '',
    })
    await served.update(id, { enabled: true }, 'enabled')
    expect((await served.get(id)).state).toBe('OBSERVABILITY_LOG_SINK_STATE_ACTIVE')
    await served.exported(id, 2)
    await served.update(id, { enabled: false }, 'enabled')
    await served.push('paused', 'three')
    await served.update(id, { enabled: true }, 'enabled')
    served.passFlush()
    await served.exported(id, 3)
    expect(linesOf(await served.objects('paused/')).toSorted()).toEqual(['one', 'three', 'two'])
  })

  it('writes an object when it is full, before its time', async () => {
    const id = await served.create({
      name: 'full',
      sources: [logs],
      filter: '{service_name="full"}',
      destination: { bucket: { bucket_id: served.bucket, prefix: 'full', max_object_bytes: 1024 * 1024 } },
    })
    const lines = Array.from({ length: 26 }, (_, i) => `${i} ${'x'.repeat(100_000)}`)
    for (const line of lines) await served.push('full', line)
    await expect.poll(async () => (await served.get(id)).exported_entries, { timeout: waitMs }).toBe(20)
    const objects = await served.objects('full/')
    expect([...objects.values()].map(found => found.length)).toEqual([10, 10])
    expect(linesOf(objects).toSorted()).toEqual(lines.slice(0, 20).toSorted())
    served.clock.shiftMs += 301_000
    await served.exported(id, 26)
    expect(linesOf(await served.objects('full/')).toSorted()).toEqual(lines.toSorted())
  })

  it('exports beside many other sinks of its workspace', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `many-${i}`)
    const ids = await Promise.all(
      names.map(name =>
        served.create({ name, sources: [logs], filter: `{service_name="${name}"}`, destination: toBucket(name) }),
      ),
    )
    for (const name of names) await served.push(name, 'one')
    served.passFlush()
    for (const id of ids) await served.exported(id, 1)
  })

  it('keeps its bucket, and tries a full bucket again, in ERROR after ten minutes', async () => {
    const { plane, path } = served
    const { storage } = plane.api
    const { resource_id: bucket_id } = await storage.createBucket({
      ...path,
      body: { name: 'small', quota_objects: 1 },
    })
    const id = await served.create({
      name: 'small',
      sources: [logs],
      filter: '{service_name="small"}',
      destination: { bucket: { bucket_id, flush_interval: '60s' } },
    })
    await expect(storage.deleteBucket({ ...path, id: bucket_id, force: true })).rejects.toMatchObject({
      reason: 'BUCKET_IN_USE',
    })
    await served.push('small', 'one')
    served.passFlush()
    await served.exported(id, 1)
    await served.push('small', 'two')
    served.passFlush()
    await expect.poll(async () => (await served.get(id)).last_error, { timeout: waitMs }).toMatch(/^QUOTA_EXCEEDED: /)
    expect((await served.get(id)).state).toBe('OBSERVABILITY_LOG_SINK_STATE_ACTIVE')
    await expect
      .poll(
        async () => {
          served.passFlush()
          return (await served.get(id)).state
        },
        { timeout: waitMs, interval: 300 },
      )
      .toBe('OBSERVABILITY_LOG_SINK_STATE_ERROR')
    await served.update(id, { destination: toBucket('moved') }, 'destination')
    expect((await served.get(id)).state).toBe('OBSERVABILITY_LOG_SINK_STATE_ACTIVE')
    await served.exported(id, 2)
    expect(linesOf(await served.objects('moved/'))).toEqual(['two'])
    await storage.deleteBucket({ ...path, id: bucket_id, force: true })
  })

  it('is in ERROR at once without its bucket, and goes on with another one', async () => {
    const { plane, path } = served
    const { storage } = plane.api
    const { resource_id: bucket_id } = await storage.createBucket({ ...path, body: { name: 'gone' } })
    const id = await served.create({
      name: 'gone',
      sources: [logs],
      filter: '{service_name="gone"}',
      destination: { bucket: { bucket_id, flush_interval: '60s' } },
    })
    const store = await openBeside(plane.place, storeCollections(areas))
    await store.tx(tx => dropReferencesOf(tx, { type: 'observability.logSinks', id }))
    await store.close()
    await storage.deleteBucket({ ...path, id: bucket_id })
    await served.push('gone', 'one')
    served.passFlush()
    await expect
      .poll(async () => (await served.get(id)).last_error, { timeout: waitMs })
      .toMatch(/^DESTINATION_NOT_FOUND: /)
    expect((await served.get(id)).state).toBe('OBSERVABILITY_LOG_SINK_STATE_ERROR')
    const { log_sinks } = await plane.api.observability.listLogSinks({
      ...path,
      filter: 'state = OBSERVABILITY_LOG_SINK_STATE_ERROR',
    })
    expect(log_sinks).toMatchObject([{ id }])
    await served.update(id, { destination: toBucket('gone') }, 'destination')
    expect(await served.exported(id, 1)).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', last_error: '' })
  })
})

it('the doctor finds nothing in what the sinks have left', async () => {
  expect(await doctorFindings(served.plane.place)).toEqual([])
})
