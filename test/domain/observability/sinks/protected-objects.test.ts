import { beforeAll, describe, expect, it } from 'vitest'
import { exportId, sinkExportCollection } from '../../../../domain/observability/sinks/sink-exports-store.ts'
import type { LogSinkInput } from '../../../../output/observability/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'
import { entriesOf } from './exported-entries.ts'
import { objectsBelow, servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

let served: ServedSinks
let bucket: string

beforeAll(async () => {
  served = await servedSinks(afterTests)
  const body = { name: 'protected', retention_policy: { retention_period: '86400s' } }
  bucket = (await served.plane.api.storage.createBucket({ ...served.path, body })).resource_id
}, 120_000)

/** Creates a sink of a service into the protected bucket, from the first entry on. */
const create = (name: string, prefix: string, more: Partial<LogSinkInput> = {}) =>
  served.create({
    name,
    sources: [logs],
    filter: `{service_name="${name}"}`,
    start_time: '2020-01-01T00:00:00Z',
    destination: { bucket: { bucket_id: bucket, prefix, flush_interval: '60s' } },
    ...more,
  })

/** Returns the lines of the objects below a prefix, by the names of the objects. */
async function objectLines(prefix: string): Promise<readonly (readonly [string, readonly string[]])[]> {
  const { path, storage } = served
  const found = await objectsBelow(storage, { workspace: path.workspace, bucket }, prefix)
  return [...found].map(([name, bytes]) => [name, entriesOf(bytes).map(({ line }) => line)])
}

describe('a bucket that protects its objects', { timeout: 180_000 }, () => {
  it('takes the object of a batch once, if its export is repeated', async () => {
    const id = await create('repeated', 'repeated')
    await served.push('repeated', 'one', 'two')
    served.passFlush()
    await served.exported(id, 2)
    const objects = await objectLines('repeated/')
    expect(objects.map(([, lines]) => lines)).toEqual([['one', 'two']])
    const store = await openBeside(served.plane.place, storeCollections(areas))
    await store.tx(async tx => {
      const stored = await tx.lock(sinkExportCollection, exportId(id, logs))
      if (!stored) throw new Error('the sink has no export')
      const { position: _position, ...rest } = stored.value
      await tx.update(sinkExportCollection, stored.id, { ...rest, exported_entries: 0 }, stored.version)
    })
    await store.close()
    expect(await served.exported(id, 2)).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', last_error: '' })
    expect(await objectLines('repeated/')).toEqual(objects)
  })

  it('keeps an object of other entries, and the sink goes on at another place', async () => {
    const { plane, path } = served
    const first = await create('other', 'kept')
    await served.push('other', 'one', 'two', 'three')
    served.passFlush()
    await served.exported(first, 3)
    const objects = await objectLines('kept/')
    await plane.api.observability.deleteLogSink({ ...path, id: first })
    const exclusions = [{ name: 'two', filter: '{service_name="other"} |= "two"' }]
    const id = await create('other', 'kept', { exclusions })
    await expect.poll(async () => (await served.get(id)).last_error, { timeout: waitMs }).toMatch(/^OBJECT_RETAINED: /)
    await served.update(
      id,
      { destination: { bucket: { bucket_id: bucket, prefix: 'moved' } } },
      'destination.bucket.prefix',
    )
    expect(await served.exported(id, 2)).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', last_error: '' })
    expect(await objectLines('kept/')).toEqual(objects)
    expect((await objectLines('moved/')).map(([, lines]) => lines)).toEqual([['one', 'three']])
  })
})

it('the doctor finds nothing in what the sinks have left', async () => {
  expect(await doctorFindings(served.plane.place)).toEqual([])
})
