import { join } from 'node:path'
import { encoded } from '../../../domain/observability/ingest/encoded-messages.ts'
import { sentSpan, spanId, traceId } from '../../../domain/observability/traces/sent-spans.ts'
import { meets, secondsOf } from '../storage/limits.ts'
import { processorSeconds, residentBytes } from '../storage/served-bucket.ts'
import { copyTraces, multiple } from './copied-telemetry.ts'
import { at, pushBodies, untilIdle, withTelemetry, type TelemetryServer } from './telemetry-server.ts'

/** The limits: milliseconds of processor time of a read, and MiB of the server. */
const limits = { readMs: 10, mib: 512 } as const

/** The service of all spans. */
const service = 'api'

/** The spans of a trace, and the traces of one request. */
const spansOfTrace = 20
const tracesOfRequest = 100

/** The reads over which the processor time is measured: the system counts it in hundredths of a second. */
const reads = 500

/** The time over which the traces begin, in milliseconds. */
const spanMs = 3_000_000

/**
 * Prints the processor time of reads of traces by their ids, and the memory; returns whether they kept their limits. A
 * tenth of the traces is pushed; the others are copies under other ids.
 */
export const printTraces = (spans: number): Promise<boolean> =>
  withTelemetry({ otlp: {} }, async served => {
    const { pid } = served.server
    const pushed = spans / multiple
    const seconds = await secondsOf(() => pushBodies(served, '/v1/traces', bodiesOf(pushed / spansOfTrace)))
    console.log(`  ${pushed} spans were pushed, ${(pushed / seconds).toFixed(0)} a second`)
    await untilIdle(served.server)
    const isShort = served.turns.meetsLimit()
    const ids = copyTraces(join(served.folder, at.workspace, 'traces'), service)
    await readTraces(served, ids)
    const before = processorSeconds(pid)
    await readTraces(served, ids)
    const ms = ((processorSeconds(pid) - before) * 1000) / reads
    const mib = residentBytes(pid) / 2 ** 20
    const title = `a trace of ${spansOfTrace} among ${spans} spans takes at most ${limits.readMs} ms of processor time`
    const results = [
      meets(title, `${ms.toFixed(2)} ms`, ms <= limits.readMs),
      meets(`the server takes less than ${limits.mib} MiB`, `${mib.toFixed(0)} MiB`, mib < limits.mib),
      isShort,
      served.turns.meetsLimit(),
    ]
    return results.every(Boolean)
  })

/** Returns the id of the trace at a place; the ids of traces come in no order, as those of senders. */
const idAt = (trace: number): string => traceId(Math.imul(trace + 1, 0x9e_37_79_b1) >>> 0)

/** Returns requests with the spans of traces in the order of their times. */
function* bodiesOf(traces: number): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  const first = Date.now() - spanMs
  for (let start = 0; start < traces; start += tracesOfRequest) {
    const spans: object[] = []
    for (let trace = start; trace < Math.min(traces, start + tracesOfRequest); trace += 1) {
      const start = first + Math.floor((spanMs * trace) / traces)
      for (let i = 0; i < spansOfTrace; i += 1) {
        const attributes = { 'http.route': `/v1/orders/${trace % 97}`, 'http.response.status_code': 200, order: trace }
        const [id, parent] = [spanId(i + 1), i === 0 ? '' : spanId(Math.ceil(i / 2))]
        spans.push(bytesOf(sentSpan({ trace: idAt(trace), id, parent, attributes, start: start + i, ms: 100 - i })))
      }
    }
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] }
    const resourceSpans = [{ resource, scopeSpans: [{ scope: { name: 'bench' }, spans }] }]
    yield new Uint8Array(encoded('ExportTraceServiceRequest', { resourceSpans }))
  }
}

/** Returns a span of OTLP in JSON with its ids as bytes, as protobuf has them. */
const bytesOf = (span: ReturnType<typeof sentSpan>): object => ({
  ...span,
  traceId: Buffer.from(span.traceId, 'hex'),
  spanId: Buffer.from(span.spanId, 'hex'),
  parentSpanId: Buffer.from(span.parentSpanId, 'hex'),
})

/** Reads traces by their ids, in no order. Throws unless each has its spans. */
async function readTraces({ api }: TelemetryServer, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < reads; i += 1) {
    const id = ids[(i * 7919) % ids.length] ?? ''
    const { span_count: count } = await api.observability.getTrace({ ...at, id })
    if (count !== spansOfTrace) throw new Error(`trace ${id} has ${count} of ${spansOfTrace} spans`)
  }
}
