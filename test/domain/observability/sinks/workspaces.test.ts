import { beforeAll, describe, expect, it } from 'vitest'
import type { LogSink } from '../../../../output/observability/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { outcomeOf } from '../../outcomes.ts'
import { logsRequest } from '../logs/served-logs.ts'
import { batchesAt, linesOf, type LineReceiver } from './line-receiver.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

let served: ServedSinks
let receiver: LineReceiver

beforeAll(async () => {
  served = await servedSinks(afterTests)
  receiver = served.receiver
}, 120_000)

/** A workspace with a sink into a bucket, and one to a webhook. */
interface Exporting {
  readonly organisation: string
  readonly id: string
  readonly bucket: string
  /** The path of the webhook. */
  readonly path: string
  readonly sinks: { readonly archive: string; readonly sent: string }
  push(line: string): Promise<number>
  sink(name: keyof Exporting['sinks']): Promise<LogSink>
}

async function newWorkspace(name: string): Promise<Exporting> {
  const { plane } = served
  const { group: parent_group_id, organisation } = plane.tenant
  const { resource_id: id } = await plane.api.taxonomy.createWorkspace({
    organisation,
    body: { name, parent_group_id },
  })
  const at = { workspace: id, engine: 'native' }
  const { resource_id: bucket } = await plane.api.storage.createBucket({ ...at, body: { name: 'archive' } })
  const config = await plane.config({ name: 'otlp', otlp: {} }, id)
  const { observability } = plane.api
  const create = async (sink: string, destination: object) =>
    (await observability.createLogSink({ ...at, body: { name: sink, sources: [logs], destination } })).resource_id
  const sinks = {
    archive: await create('archive', { bucket: { bucket_id: bucket, flush_interval: '60s' } }),
    sent: await create('sent', { webhook: { url: `${receiver.url}/${name}` } }),
  }
  return {
    organisation,
    id,
    bucket,
    path: `/${name}`,
    sinks,
    async push(line) {
      const records = [{ timeUnixNano: `${served.clock.now}000000`, body: { stringValue: line } }]
      const body = JSON.stringify(logsRequest('api', records))
      return (await plane.push(config, body, { path: '/v1/logs' })).status
    },
    sink: sink => observability.getLogSink({ ...at, id: sinks[sink] }),
  }
}

const linesAt = (path: string) => [...batchesAt(receiver, path).values()].flatMap(texts => [...texts].flatMap(linesOf))

/** Waits until the worker of sinks has exported a new entry of another workspace. */
async function untilExported(id: string, line: string): Promise<void> {
  const { exported_entries } = await served.get(id)
  await served.push('witness', line)
  await served.exported(id, exported_entries + 1)
}

describe.each([
  ['SUSPENDED', 'suspendWorkspace', 'resumeWorkspace'],
  ['ARCHIVED', 'archiveWorkspace', 'restoreWorkspace'],
] as const)('in a workspace that is %s', (state, stop, start) => {
  it('sinks keep their places, and export the rest with the workspace', { timeout: 180_000 }, async () => {
    const { api } = served.plane
    const name = state.toLowerCase()
    const idle = await newWorkspace(name)
    const node = { organisation: idle.organisation, id: idle.id, body: {} }
    const witness = await served.create({
      name,
      sources: [logs],
      filter: '{service_name="witness"}',
      destination: { webhook: { url: `${receiver.url}/witness` } },
    })
    expect(await idle.push('before')).toBe(200)
    await expect.poll(async () => (await idle.sink('sent')).exported_entries, { timeout: waitMs }).toBe(1)
    await api.taxonomy[stop](node)
    served.passFlush()
    for (const line of ['one', 'two', 'three']) await untilExported(witness, line)
    expect(await idle.push('refused')).toBe(403)
    expect(await idle.sink('archive')).toMatchObject({
      state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE',
      exported_entries: 0,
      last_error: '',
    })
    const at = { workspace: idle.id, engine: 'native' }
    const { observability } = api
    const body = { name: 'more', sources: [logs], destination: { webhook: { url: `${receiver.url}/more` } } }
    const change = { ...at, id: idle.sinks.sent, body: { enabled: false }, update_mask: 'enabled' }
    for (const call of [
      () => observability.createLogSink({ ...at, body: { ...body, sources: [logs] } }),
      () => observability.updateLogSink(change),
      () => observability.deleteLogSink({ ...at, id: idle.sinks.sent }),
    ])
      expect(await outcomeOf(call())).toBe('WORKSPACE_NOT_ACTIVE')
    await api.taxonomy[start](node)
    await expect.poll(async () => (await idle.sink('archive')).exported_entries, { timeout: waitMs }).toBe(1)
    expect(await idle.push('after')).toBe(200)
    await expect.poll(async () => (await idle.sink('sent')).exported_entries, { timeout: waitMs }).toBe(2)
    expect(linesAt(idle.path)).toEqual(['before', 'after'])
    await observability.deleteLogSink({ ...served.path, id: witness })
  })
})

it('a workspace that is deleted takes its sinks along, also a sink that is sending', { timeout: 180_000 }, async () => {
  const { plane } = served
  const { taxonomy } = plane.api
  const gone = await newWorkspace('deleted')
  const node = { organisation: gone.organisation, id: gone.id }
  const held = Promise.withResolvers<void>()
  const { answer } = receiver
  receiver.answer = (response, arrival) =>
    void (arrival.path === gone.path ? held.promise : Promise.resolve()).then(() => answer(response, arrival))
  await gone.push('one')
  await expect.poll(() => linesAt(gone.path), { timeout: waitMs }).toEqual(['one'])
  await taxonomy.archiveWorkspace({ ...node, body: {} })
  expect(await outcomeOf(taxonomy.deleteWorkspace(node))).toBe('WORKSPACE_NOT_EMPTY')
  await taxonomy.deleteWorkspace({ ...node, force: true })
  await expect.poll(() => outcomeOf(taxonomy.getWorkspace(node)), { timeout: waitMs }).toBe('WORKSPACE_NOT_FOUND')
  held.resolve()
  receiver.answer = answer
  await expect.poll(() => doctorFindings(plane.place), { timeout: waitMs }).toEqual([])
  expect(linesAt(gone.path)).toEqual(['one'])
})
