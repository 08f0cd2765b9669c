import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { entriesIn } from './exported-entries.ts'
import { answerWith, batchesAt, type LineReceiver } from './line-receiver.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

let served: ServedSinks
let receiver: LineReceiver

beforeAll(async () => {
  served = await servedSinks(afterTests)
  receiver = served.receiver
}, 120_000)

const urlOf = (path: string) => `${receiver.url}${path}`
const failure = (id: string) => expect.poll(async () => (await served.get(id)).last_error, { timeout: waitMs })
const linesAt = (path: string) =>
  [...batchesAt(receiver, path).values()].map(texts => [...texts].map(text => entriesIn(text).map(({ line }) => line)))

describe('an update of a sink', { timeout: 180_000 }, () => {
  it('leaves the entries of a batch that is repeated as they are, and chooses the entries of the next one', async () => {
    answerWith(receiver, 503)
    const filter = (word: string) => `{service_name="chosen"} |= "${word}"`
    const destination = { webhook: { url: urlOf('/chosen') } }
    const id = await served.create({ name: 'chosen', sources: [logs], filter: filter('old'), destination })
    await served.push('chosen', 'old 1', 'new 1')
    await failure(id).toBe('the receiver answered with status 503')
    await served.update(
      id,
      { filter: filter('new'), exclusions: [{ name: 'all', filter: filter('old') }] },
      'filter,exclusions',
    )
    answerWith(receiver, 200)
    await served.exported(id, 1)
    await served.push('chosen', 'old 2', 'new 2')
    await served.exported(id, 2)
    expect(linesAt('/chosen')).toEqual([[['old 1']], [['new 2']]])
  })

  it('from a bucket to a webhook makes smaller batches of the entries', async () => {
    const { plane, path, storage } = served
    const { resource_id: bucket_id } = await plane.api.storage.createBucket({
      ...path,
      body: { name: 'full', quota_objects: 1 },
    })
    const place = { workspace: path.workspace, bucket: bucket_id, object: 'first' }
    await storage.putObject(undefined, place, new Blob(['x']).stream(), { contentType: 'text/plain' })
    const id = await served.create({
      name: 'smaller',
      sources: [logs],
      enabled: false,
      filter: '{service_name="smaller"}',
      destination: { bucket: { bucket_id, flush_interval: '60s' } },
    })
    const lines = Array.from({ length: 15 }, (_, i) => `${i} ${'x'.repeat(100_000)}`)
    for (const line of lines) await served.push('smaller', line)
    served.passFlush()
    await served.update(id, { enabled: true }, 'enabled')
    await failure(id).toMatch(/^QUOTA_EXCEEDED: /)
    answerWith(receiver, 200)
    await served.update(id, { destination: { webhook: { url: urlOf('/smaller') } } }, 'destination')
    await served.exported(id, lines.length)
    expect(linesAt('/smaller').flat(2)).toEqual(lines)
    for (const { text } of receiver.arrivals) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024)
  })

  it('while a batch is being sent does not send the batch to the next destination too', async () => {
    const held = Promise.withResolvers<void>()
    receiver.answer = response => void held.promise.then(() => response.writeHead(200).end())
    const id = await served.create({
      name: 'moved',
      sources: [logs],
      filter: '{service_name="moved"}',
      destination: { webhook: { url: urlOf('/moved') } },
    })
    await served.push('moved', 'one', 'two')
    await expect.poll(() => batchesAt(receiver, '/moved').size, { timeout: waitMs }).toBe(1)
    await served.update(id, { destination: { otlp: { url: urlOf('/next') } } }, 'destination')
    held.resolve()
    await served.exported(id, 2)
    await served.push('moved', 'three')
    await served.exported(id, 3)
    expect(linesAt('/moved')).toEqual([[['one', 'two']]])
    const texts = receiver.arrivals.filter(({ path }) => path === '/next').map(({ text }) => text)
    expect(texts).toEqual([expect.stringContaining('"three"')])
  })
})

it('the doctor finds nothing in what the updates have left', async () => {
  expect(await doctorFindings(served.plane.place)).toEqual([])
})
