import type { LogEntry } from '../../../runtime/outcome.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { platformWorkspaceId } from '../../ports/reserved.ts'
import { TokenBucket } from '../../resources/token-bucket.ts'
import type { RecentRetentions } from '../retention/recent-retentions.ts'
import { spanText } from '../traces/span-text.ts'
import type { SentSpan, TraceEngine } from '../traces/trace-engine.ts'
import { SpanCollector } from './span-collector.ts'

/** The spans of a server: as many at one time as `capacity`, and `perSecond` after that. */
const rate = { capacity: 100, perSecond: 10 } as const

/** The time for which spans are collected before they are written, in milliseconds. */
const collectedMs = 5000

/** The largest number of spans that wait to be written. */
const mostWaiting = 1000

/** The operations whose calls have no span: probes come every few seconds, and senders push as often. */
const quietOperations: ReadonlySet<string | undefined> = new Set(
  'healthz readyz metrics pushMetrics pushLogs pushTraces remoteWrite'.split(' '),
)

/** The service of all spans of the platform. */
const resource = { service: 'ninefold', attributes: { 'service.name': 'ninefold' } } as const

/** What becomes of the span of a call. */
export const spanOutcomes = ['written', 'dropped', 'left_out'] as const

export type SpanOutcome = (typeof spanOutcomes)[number]

interface RequestSpanParts {
  readonly clock: Pick<Clock, 'now'>
  readonly traces: Pick<TraceEngine, 'write'>
  readonly retentions: Pick<RecentRetentions, 'of'>
  /** Whether `observability.default_engine` is an engine of this server. */
  readonly hasEngine: boolean
  /** Receives the errors of the engine. */
  readonly failed: (error: unknown, subject: string) => void
}

/**
 * Makes spans of the calls that this server answers, and writes them into the workspace `platform`
 * (observability.md 4.11). Calls above a rate are left out; failures of the server have a rate of their own, so that
 * other calls do not displace them. A span has no part of a call that may be secret: no query, header, body, or path
 * beyond its template.
 */
export class RequestSpans {
  readonly #parts: RequestSpanParts
  readonly #rates: { readonly failures: TokenBucket; readonly others: TokenBucket }
  readonly #counts = new Map<SpanOutcome, number>()
  #spans: SentSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> | undefined

  constructor(parts: RequestSpanParts) {
    this.#parts = parts
    const now = parts.clock.now()
    this.#rates = { failures: new TokenBucket(rate, now), others: new TokenBucket(rate, now) }
  }

  /** Returns the number of spans of calls with an outcome, since the start of the server. */
  count(outcome: SpanOutcome): number {
    return this.#counts.get(outcome) ?? 0
  }

  /** Takes the span of an answered call. Never throws. */
  record(entry: LogEntry): void {
    if (!this.#parts.hasEngine || quietOperations.has(entry.operationId)) return
    const now = this.#parts.clock.now()
    const bucket = entry.status >= 500 ? this.#rates.failures : this.#rates.others
    if (this.#spans.length >= mostWaiting || bucket.take(1, now) > 0) return this.#count('left_out', 1)
    this.#spans.push(spanOf(entry, now))
    this.#timer ??= setTimeout(() => this.#flush(), collectedMs).unref()
  }

  /** Writes what waits, unless the server is so young that it has written no span before. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#writing !== undefined) this.#flush()
    await this.#writing
  }

  #flush(): void {
    this.#timer = undefined
    this.#writing = Promise.all([this.#writing, this.#write(this.#spans.splice(0))])
  }

  /** Writes spans. Never rejects: spans that the engine does not take are dropped and counted. */
  async #write(spans: readonly SentSpan[]): Promise<void> {
    if (spans.length === 0) return
    const { failed, retentions, traces } = this.#parts
    try {
      const collector = new SpanCollector()
      collector.addResource(resource)
      for (const span of spans) collector.add(span)
      const retentionMs = await retentions.of(platformWorkspaceId, 'OBSERVABILITY_SIGNAL_TRACES')
      const { accepted } = await traces.write(platformWorkspaceId, collector.finish(), { retentionMs })
      this.#count('written', accepted)
      this.#count('dropped', spans.length - accepted)
    } catch (error) {
      // Another server may have the files of the engine.
      if (!(error instanceof ApiError && error.rpc === 'UNAVAILABLE'))
        failed(error, `taxonomy.workspaces ${platformWorkspaceId}`)
      this.#count('dropped', spans.length)
    }
  }

  #count(outcome: SpanOutcome, count: number): void {
    this.#counts.set(outcome, this.count(outcome) + count)
  }
}

/** Returns the span of a call that ended at `now`, by the semantic conventions of OpenTelemetry for HTTP servers. */
function spanOf(entry: LogEntry, now: number): SentSpan {
  const { method, milliseconds, path, requestId, status, traceId, traceparent } = entry
  const parentId = parentOf(traceparent.request, traceId)
  const start = Math.round((now - milliseconds) * 1000)
  const text = spanText({
    parentId,
    name: path === undefined ? method : `${method} ${path}`,
    kind: 'SERVER',
    start: BigInt(start) * 1000n,
    end: BigInt(Math.round(now * 1000)) * 1000n,
    status: status >= 500 ? 'ERROR' : 'UNSET',
    message: '',
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      'ninefold.request_id': requestId,
      ...attributesOf(entry),
    },
    events: [],
    links: [],
    scope: { name: 'ninefold', version: '' },
  })
  const spanId = traceparent.answer.split('-')[2] ?? ''
  return { traceId, spanId, start, isRoot: parentId === '', isError: status >= 500, resource: 0, text }
}

/** Returns the attributes of a call that not every call has. */
function attributesOf(entry: LogEntry): Record<string, string> {
  const { clientAddress, operation, operationId, path, principalId, reason } = entry
  const all = {
    'http.route': path,
    'client.address': clientAddress,
    'user.id': principalId,
    'error.type': reason,
    'ninefold.area': operation?.area,
    'ninefold.operation_id': operationId,
  }
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(all)) if (value !== undefined && value !== '') given[name] = value
  return given
}

/** Returns the span of the caller, which is the parent; empty if the caller sent no valid `traceparent`. */
const parentOf = (traceparent: string | undefined, traceId: string): string =>
  traceparent?.split('-')[1] === traceId ? (traceparent.split('-')[2] ?? '') : ''
