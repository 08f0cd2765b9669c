import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { seeded } from '../../../areas/random.ts'
import { encoded } from '../../../domain/observability/ingest/encoded-messages.ts'
import { meets, secondsOf } from '../storage/limits.ts'
import { processorSeconds, residentBytes } from '../storage/served-bucket.ts'
import { copyLines, dayFiles, multiple } from './copied-telemetry.ts'
import { at, pushBodies, untilIdle, withTelemetry, type TelemetryServer } from './telemetry-server.ts'

/** The limits: seconds of a search whose files are in the memory of the system, and MiB of the server. */
const limits = { warmSeconds: 1, mib: 512 } as const

/** The number of the lines that a search finds. */
const matches = 100

/** The searches whose median counts. */
const searches = 7

/** The lines of one request. */
const linesOfRequest = 5000

/** The services whose lines are pushed. */
const services = ['api', 'mailer', 'web', 'worker'] as const

/** The identifier for which a search looks. Identifiers of other lines have all of its runs of four digits. */
const soughtId = '5b8efff798038103d269b633813fc60c'

/** The last lines may lie in parts, which are not copied, so that more lines are pushed. */
const partsShare = 1.05

/** The time over which the lines lie, in milliseconds. */
const spanMs = 3_000_000

/**
 * Prints the times of searches for an identifier among lines, and the memory; returns whether they kept their limits. A
 * tenth of the lines is pushed; the others are copied blocks.
 */
export const printLogs = (wanted: number): Promise<boolean> =>
  withTelemetry({ otlp: {} }, async served => {
    const pushed = (wanted * partsShare) / multiple
    const seconds = await secondsOf(() => pushBodies(served, '/v1/logs', bodiesOf(pushed)))
    console.log(`  ${pushed} lines were pushed, ${(pushed / seconds).toFixed(0)} a second`)
    await untilIdle(served.server)
    const isShort = served.turns.meetsLimit()
    const folder = join(served.folder, at.workspace, 'logs')
    const lines = copyLines(folder)
    for (const file of dayFiles(folder)) forgetPages(file)
    const cold = await searchSeconds(served)
    const before = processorSeconds(served.server.pid)
    const warm = await medianSeconds(served)
    const processorMs = ((processorSeconds(served.server.pid) - before) * 1000) / searches
    const mib = residentBytes(served.server.pid) / 2 ** 20
    console.log(`  a search after the files have left the memory of the system takes ${(cold * 1000).toFixed(0)} ms`)
    console.log(`  a search takes ${processorMs.toFixed(0)} ms of processor time afterwards`)
    const title = `a search for ${matches} of ${lines} lines takes at most ${limits.warmSeconds} s`
    const results = [
      meets(title, `${(warm * 1000).toFixed(0)} ms`, warm <= limits.warmSeconds),
      meets(`the server takes less than ${limits.mib} MiB`, `${mib.toFixed(0)} MiB`, mib < limits.mib),
      isShort,
      served.turns.meetsLimit(),
    ]
    return results.every(Boolean)
  })

/** Returns requests with lines of some services in the order of their times, each line with an identifier. */
function* bodiesOf(lines: number): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  const random = seeded(1)
  const hex = (): string =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')
  const first = Date.now() - spanMs
  // The first half of the lines lies in blocks, which are copied; the last lines may still lie in parts.
  const soughtEvery = (lines * multiple) / (2 * matches)
  for (let start = 0; start < lines; start += linesOfRequest) {
    const logRecords: object[][] = services.map(() => [])
    for (let i = start; i < Math.min(lines, start + linesOfRequest); i += 1) {
      const id = i % soughtEvery === 0 && i < lines / 2 ? soughtId : hex() + hex() + hex() + hex()
      const ms = first + Math.floor((spanMs * i) / lines)
      const stringValue = `{"level":"info","method":"GET","path":"/v1/orders/${i % 977}","ms":${i % 89},"trace":"${id}"}`
      logRecords[i % services.length]?.push({ timeUnixNano: `${ms}000000`, severityNumber: 9, body: { stringValue } })
    }
    const resourceLogs = services.map((service, i) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeLogs: [{ logRecords: logRecords[i] }],
    }))
    yield new Uint8Array(encoded('ExportLogsServiceRequest', { resourceLogs }))
  }
}

/** Makes the system forget the pages of a file, so that the next read takes them from the disk. */
const forgetPages = (file: string): Buffer =>
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])

/** Returns the time of a search in seconds. Throws unless it finds the lines that were pushed with the identifier. */
async function searchSeconds({ api }: TelemetryServer): Promise<number> {
  let found = 0
  const seconds = await secondsOf(async () => {
    const body = { query: `{service_name=~".+"} |= "${soughtId}"`, limit: 2 * matches }
    const { streams } = await api.observability.queryLogs({ ...at, body })
    found = streams.reduce((sum, { entries }) => sum + entries.length, 0)
  })
  if (found !== matches) throw new Error(`a search found ${found} of ${matches} lines`)
  return seconds
}

/** Returns the median of the times of some searches in seconds. */
async function medianSeconds(served: TelemetryServer): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < searches; i += 1) times.push(await searchSeconds(served))
  return times.sort((a, b) => a - b)[Math.floor(searches / 2)] ?? Number.NaN
}
