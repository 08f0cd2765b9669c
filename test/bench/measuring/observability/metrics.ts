import type { Ninefold } from '../../../../output/client.ts'
import { key } from '../../../domain/observability/ingest/served-plane.ts'
import type { PinnedServer } from '../overload/pinned-server.ts'
import { meets, secondsOf } from '../storage/limits.ts'
import { residentBytes } from '../storage/served-bucket.ts'
import { startPrometheus } from './prometheus.ts'
import { bodiesOf, pushAll, type Load } from './remote-write.ts'
import { at, withTelemetry } from './telemetry-server.ts'

/** The limits: samples a second on one processor, times the query of Prometheus, MiB, times the read of another area. */
const limits = { samples: 100_000, query: 4, mib: 512, read: 2 } as const

/**
 * Prints the speed of remote writes, the time of a range query beside Prometheus over the same data, the memory of the
 * server, and the time of reads of another area during queries; returns whether all kept their limits.
 */
export const printMetrics = (load: Load): Promise<boolean> =>
  withTelemetry({ prometheus_remote_write: {} }, async ({ api, ingestUrl, server, token, turns }) => {
    const bodies = bodiesOf(load)
    const seconds = await secondsOf(() => pushAll(`${ingestUrl}/api/v1/write`, bodies, key))
    const rate = (load.series * load.steps) / seconds
    const results = [
      meets(`at least ${limits.samples} samples a second are written`, rate.toFixed(0), rate >= limits.samples),
      turns.meetsLimit(),
      await printQuery({ server, token }, bodies),
      await printReads(api, { server, token }),
      printMemory(server),
      turns.meetsLimit(),
    ]
    return results.every(Boolean)
  })

const query = 'rate(http_requests_total{handler=~"/api/v1/resource-[0-4]"}[5m])'

/** Returns the median of the times of some calls, in milliseconds. */
async function medianOf(count: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < count; i += 1) times.push((await secondsOf(call)) * 1000)
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0
}

/** A server of the platform and the token of a caller. */
interface Caller {
  readonly server: PinnedServer
  readonly token: string
}

/** Sends a query over the last hour, and returns the answer, whose body is not read yet. */
async function rangeQuery({ server, token }: Caller): Promise<Response> {
  const end = Date.now()
  const times = { start_time: new Date(end - 3_600_000).toISOString(), end_time: new Date(end).toISOString() }
  const response = await fetch(
    new URL(`/observability/v1/workspaces/${at.workspace}/engines/native/metrics:queryRange`, server.url),
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, ...times, step: '15s' }),
    },
  )
  if (!response.ok) throw new Error(`a query was answered ${response.status}`)
  return response
}

/**
 * Prints the time of a query over an hour beside that of Prometheus, which gets the same requests: the time until the
 * whole answer is there, without its parsing, which is work of the caller.
 */
async function printQuery(caller: Caller, bodies: readonly (readonly Buffer[])[]): Promise<boolean> {
  const prometheus = await startPrometheus()
  if (prometheus === undefined) return meets('Prometheus is installed', 'no', false)
  try {
    await pushAll(`${prometheus.url}/api/v1/write`, bodies)
    const asked = async (): Promise<unknown> => {
      const end = Date.now() / 1000
      const range = new URLSearchParams({ query, start: String(end - 3600), end: String(end), step: '15' })
      return (await fetch(`${prometheus.url}/api/v1/query_range?${range}`)).arrayBuffer()
    }
    const theirs = await medianOf(9, asked)
    const ours = await medianOf(9, async () => (await rangeQuery(caller)).arrayBuffer())
    const measured = `${ours.toFixed(0)} ms and ${theirs.toFixed(0)} ms: ${(ours / theirs).toFixed(2)}`
    return meets(
      `a range query takes at most ${limits.query} times that of Prometheus`,
      measured,
      ours <= limits.query * theirs,
    )
  } finally {
    await prometheus.close()
  }
}

/**
 * Prints the p99 of reads of another area during range queries beside those before. The answers of the queries are not
 * parsed, because that would occupy the process whose reads are measured.
 */
async function printReads(api: Ninefold, caller: Caller): Promise<boolean> {
  const read = () => api.taxonomy.listOrganisations({})
  const before = await p99Of(read)
  const running = new AbortController()
  const queries = [1, 2].map(async () => {
    while (!running.signal.aborted) for await (const _ of (await rangeQuery(caller)).body ?? []);
  })
  const during = await p99Of(read)
  running.abort()
  await Promise.all(queries)
  const measured = `${during.toFixed(1)} ms, ${before.toFixed(1)} ms before`
  return meets(
    `p99 of another area grows at most ${limits.read} times during queries`,
    measured,
    during <= limits.read * before,
  )
}

async function p99Of(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 300; i += 1) times.push((await secondsOf(call)) * 1000)
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

function printMemory({ pid }: PinnedServer): boolean {
  const mib = residentBytes(pid) / 2 ** 20
  return meets(`the processes take less than ${limits.mib} MiB`, `${mib.toFixed(0)} MiB`, mib < limits.mib)
}
