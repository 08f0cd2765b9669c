import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { ObservabilityClient } from '../../../../../output/observability/client.ts'
import { StorageClient } from '../../../../../output/storage/client.ts'
import { TaxonomyClient } from '../../../../../output/taxonomy/client.ts'
import { VaultClient } from '../../../../../output/vault/client.ts'
import { createTransport } from '../../../../../runtime/transport.ts'
import { sleepShortly } from '../../../../areas/kill/sleep-shortly.ts'
import { testToken } from '../../../../server/access/test-access.ts'
import { key } from '../../ingest/served-plane.ts'
import { logsRequest } from '../../logs/served-logs.ts'
import { byFirstNumber, entriesOf, tailedEntries } from '../exported-entries.ts'
import { batchesAt, linesOf, type LineReceiver } from '../line-receiver.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'
const patient = { timeout: 120_000, interval: 100 }

/** The characters of a line: an object of 1 MiB has ten lines. */
const lineLength = 100_000

const perObject = 10

/** A header that a secret holds. */
const given = 'x-given'

/**
 * Creates a sink into a bucket and one to a webhook, pushes lines, sends the second sink to a receiver of OTLP, pauses and
 * changes the first one, and deletes both. Each line must have left, in the objects once and in their order.
 */
export async function tellSinks(call: typeof fetch, round: number, receiver: LineReceiver): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call, timing: { sleep: sleepShortly } })
  const [taxonomy, vault] = [new TaxonomyClient(transport), new VaultClient(transport)]
  const [observability, storage] = [new ObservabilityClient(transport), new StorageClient(transport)]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const at = { workspace, engine: 'native' }
  const { resource_id: bucket } = await storage.createBucket({ ...at, body: { name: 'archive' } })
  const { resource_id: headers_secret_id } = await vault.createSecret({ ...at, body: { name: 'headers' } })
  const data = Buffer.from(JSON.stringify({ [given]: String(round) })).toString('base64')
  await vault.addSecretVersion({ ...at, secret: headers_secret_id, body: { payload: { data } } })
  const sender = { name: 'otlp', otlp: {}, ingest_keys: [{ name: 'sender', secret: key }] }
  const { resource_id: config } = await observability.createIngestionConfig({ ...at, body: sender })

  const start = { sources: [logs] as const, start_time: '2020-01-01T00:00:00Z' }
  const create = async (name: string, destination: object) =>
    (await observability.createLogSink({ ...at, body: { ...start, sources: [logs], name, destination } })).resource_id
  const archive = await create('archive', {
    bucket: { bucket_id: bucket, max_object_bytes: 1024 * 1024, flush_interval: '3600s' },
  })
  const paths = { webhook: `/hook/${round}`, otlp: `/otlp/${round}` }
  const secret = 'correct-horse-battery'
  const sent = await create('sent', { webhook: { url: `${receiver.url}${paths.webhook}`, secret } })
  const pushed: string[] = []
  const push = async (count: number) => {
    const lines = Array.from({ length: count }, () => `${randomUUID()} `.padEnd(lineLength, 'x'))
    pushed.push(...lines)
    const records = lines.map(line => ({ timeUnixNano: `${Date.now()}000000`, body: { stringValue: line } }))
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const init = { method: 'POST', headers, body: JSON.stringify(logsRequest('api', records)) }
    expect((await call(`/ingest/${config}/v1/logs`, init)).status).toBe(200)
  }
  const tail: Parameters<typeof tailedEntries>[0] = body => observability.tailLogs({ ...at, body })
  const lines = async () => (await tailedEntries(tail, '{service_name="api"}', patient.timeout)).map(({ line }) => line)
  const exported = async (id: string) => (await observability.getLogSink({ ...at, id })).exported_entries
  const allSent = () => expect.poll(() => exported(sent), patient).toBe(all.length)

  await push(6)
  let all = await lines()
  await allSent()
  const toOtlp = { otlp: { url: `${receiver.url}${paths.otlp}`, headers_secret_id } }
  const change = { ...at, id: sent, body: { destination: toOtlp }, update_mask: 'destination' }
  await observability.updateLogSink(change)
  await observability.updateLogSink({ ...at, id: archive, body: { enabled: false }, update_mask: 'enabled' })
  const first = all.length
  await push(6)
  all = await lines()
  await allSent()
  const resumed = { enabled: true, exclusions: [{ name: 'none', filter: '{service_name="other"}' }] }
  await observability.updateLogSink({ ...at, id: archive, body: resumed, update_mask: 'enabled,exclusions' })
  const whole = Math.floor((all.length - 1) / perObject) * perObject
  await expect.poll(() => exported(archive), patient).toBe(whole)

  // A push whose answer was lost is repeated, and its lines are then there twice.
  expect(new Set(all)).toEqual(new Set(pushed))
  expect(batchLines(receiver, paths.webhook)).toEqual(all.slice(0, first))
  expect(batchLines(receiver, paths.otlp)).toEqual(all.slice(first))
  const sentHeaders = receiver.arrivals.filter(({ path }) => path === paths.otlp).map(({ headers }) => headers[given])
  expect(new Set(sentHeaders)).toEqual(new Set([String(round)]))
  expect(await objectLines(storage, call, { ...at, bucket })).toEqual(all.slice(0, whole))

  for (const id of [archive, sent]) await observability.deleteLogSink({ ...at, id })
  expect((await observability.listLogSinks(at)).log_sinks).toEqual([])
  await vault.deleteSecret({ ...at, id: headers_secret_id })
  await storage.waitOperation(await storage.deleteBucket({ ...at, id: bucket, force: true }))
}

/** Returns the lines of the batches that arrived at a path; expects that a repeated batch has the same lines. */
function batchLines(receiver: LineReceiver, path: string): readonly string[] {
  const batches = [...batchesAt(receiver, path).values()]
  expect(batches.filter(({ size }) => size !== 1)).toEqual([])
  return batches.flatMap(([text = '']) => linesOf(text))
}

/** Returns the lines of all objects of a bucket, in the order of the numbers in their names. */
async function objectLines(
  storage: StorageClient,
  call: typeof fetch,
  at: { readonly workspace: string; readonly engine: string; readonly bucket: string },
): Promise<readonly string[]> {
  const names = (await storage.listObjects(at)).objects.map(({ name }) => name).toSorted(byFirstNumber)
  const lines: string[] = []
  for (const object of names) {
    const { headers, method, url } = await storage.createPresignedDownloadUrl({ ...at, body: { object } })
    const { host, pathname, search } = new URL(url)
    const init = { method: method.replace('STORAGE_HTTP_METHOD_', ''), headers: { ...headers, host } }
    const bytes = new Uint8Array(await (await call(`${pathname}${search}`, init)).arrayBuffer())
    lines.push(...entriesOf(bytes).map(({ line }) => line))
  }
  return lines
}
