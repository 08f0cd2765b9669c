import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { LogEntry } from '../../../../output/observability/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { functionCaller } from '../../../areas/function-caller.ts'
import { killRounds, killTimeout, serve } from '../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { key } from '../ingest/served-plane.ts'
import { logsRequest } from '../logs/served-logs.ts'
import { byFirstNumber, entriesOf, tailedEntries } from './exported-entries.ts'
import { objectsBelow } from './served-sinks.ts'

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one exports. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The lines of a push, and the characters of a line: an object of 1 MiB has ten lines. */
const [linesPerPush, lineLength] = [6, 100_000] as const

const perObject = 10

/** The pushes between two kills. */
const pushesPerRound = 4

/** The longest wait for a server and for the exports, in milliseconds. */
const waitMs = 180_000

it(
  'servers that are killed while a sink exports write each entry once, in the order in which the entries came in',
  { timeout: killTimeout + 2 * waitMs },
  async () => {
    const place = await testStorePlace()
    const { addresses, restart, servers } = await serve(place, serverCount)
    const admin = async () => (await servers[0]?.admin()) ?? expect.fail('there is no server')
    const { api } = await admin()
    const { workspace } = await addTenant(api, 'acme')
    const path = { workspace, engine: 'native' }
    const { resource_id: bucket } = await api.storage.createBucket({ ...path, body: { name: 'archive' } })
    const sender = { name: 'otlp', otlp: {}, ingest_keys: [{ name: 'sender', secret: key }] }
    const { resource_id: config } = await api.observability.createIngestionConfig({ ...path, body: sender })
    const destination = { bucket: { bucket_id: bucket, max_object_bytes: 1024 * 1024, flush_interval: '3600s' } }
    const { resource_id: id } = await api.observability.createLogSink({
      ...path,
      body: {
        name: 'archive',
        sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'],
        start_time: '2020-01-01T00:00:00Z',
        destination,
      },
    })
    let pushes = 0
    // A push whose answer was lost is repeated, and its lines may then be there twice.
    async function push(): Promise<void> {
      const records = Array.from({ length: linesPerPush }, (_, i) => ({
        timeUnixNano: `${Date.now()}000000`,
        body: { stringValue: `${pushes} ${i} `.padEnd(lineLength, 'x') },
      }))
      pushes += 1
      const request = JSON.stringify(logsRequest('api', records))
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const post = () =>
        Promise.any(
          addresses.map(async address => {
            const answer = await fetch(`${address}/ingest/${config}/v1/logs`, {
              method: 'POST',
              headers,
              body: request,
            })
            if (answer.status !== 200) throw new Error(String(answer.status))
            return answer.status
          }),
        ).catch(() => 0)
      await expect.poll(post, { timeout: waitMs, interval: 100 }).toBe(200)
    }
    for (let round = 0; round < killRounds; round += 1) {
      for (let i = 0; i < pushesPerRound; i += 1) await push()
      await sleep(Math.random() * 1500)
      await restart(round % serverCount)
    }
    await push()
    // One server takes all leases, so that the server that reads the logs writes the bucket.
    for (const server of servers.slice(1)) await server.kill()
    const last = (await admin()).api
    const entries = await tailedEntries(
      body => last.observability.tailLogs({ ...path, body }),
      '{service_name="api"}',
      waitMs,
    )
    const whole = (Math.ceil(entries.length / perObject) - 1) * perObject
    const exported = async () => (await last.observability.getLogSink({ ...path, id })).exported_entries
    await expect.poll(exported, { timeout: waitMs }).toBe(whole)
    await servers[0]?.kill()
    const caller = functionCaller()
    const objects = await whileOpen(
      place,
      async () => {
        const storage = caller.functions('storage')
        const read = () => objectsBelow(storage, { workspace, bucket }, 'archive/').catch(() => undefined)
        await expect.poll(read, { timeout: waitMs }).toBeDefined()
        return (await read()) ?? new Map<string, Uint8Array>()
      },
      caller.areas,
    )
    const inOrder = [...objects].toSorted(([one], [other]) => byFirstNumber(one, other))
    const written = inOrder.flatMap(([, bytes]) => entriesOf(bytes))
    console.log(
      `${killRounds} kills, ${entries.length} entries, ${objects.size} objects with ${written.length} entries`,
    )
    expect(written.map(shortened)).toEqual(entries.slice(0, whole).map(shortened))
    expect(await doctorFindings(place)).toEqual([])
  },
)

const shortened = ({ line, ...entry }: LogEntry) => ({ ...entry, line: line.slice(0, 20), length: line.length })
