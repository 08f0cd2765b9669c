import { LRUCache } from 'lru-cache'
import type { WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { SentSpan, SpanBatch, SpanLimits } from '../../../../domain/observability/traces/trace-engine.ts'
import { dayOf, type SignalPlaces } from '../files/places.ts'
import { SpanDays } from './span-days.ts'
import type { PendingSpan } from './span-file.ts'
import { TraceIndex, type IndexedTrace } from './trace-index.ts'

/** How far spans may lie in the future, in milliseconds. */
const futureMs = 600_000

/** The number of characters of spans from which they are committed before more are taken. */
const mostWaiting = 32 * 1024 * 1024

/** The largest number of traces that a workspace keeps in memory. */
const mostKnown = 20_000

/** The sentences about spans that the engine refuses, by reason. */
const refusals = {
  future: 'a span starts more than 10 minutes in the future',
  too_old: 'a span started before the retention',
} as const

/**
 * The traces of a workspace, as the writer holds them. A new trace is in the index before its spans are in their files,
 * so that a killed writer leaves no spans that the index does not know. All calls throw `FileFault`.
 */
export class WorkspaceTraces {
  readonly index: TraceIndex
  readonly days: SpanDays
  readonly places: SignalPlaces
  readonly #known = new LRUCache<string, IndexedTrace>({ max: mostKnown })
  #nextNumber: number
  /** The traces whose rows differ from those of the index, by their ids. */
  #changed = new Map<string, IndexedTrace>()
  /** The spans that wait for the commit, by the days of their starts. */
  #pending = new Map<number, PendingSpan[]>()
  /** The day of the last span with its ids, of the spans that wait. */
  #lastDays = new Map<string, number>()
  #waiting = 0

  constructor(places: SignalPlaces) {
    this.places = places
    this.index = new TraceIndex(places.index)
    this.days = new SpanDays(places)
    this.#nextNumber = this.index.nextNumber()
  }

  /** Opens the files of the days of a batch, so that a file that cannot be used refuses the batch before it is written. */
  prepare({ spans }: SpanBatch, limits: SpanLimits, now: number): void {
    const days = new Set<number>()
    for (const span of spans) if (refusalOf(span, limits, now) === undefined) days.add(dayOfSpan(span))
    for (const day of days) this.days.open(day)
  }

  /** Takes spans, which are on the disk after the next `commit`. */
  write({ message, rejections, resources, spans }: SpanBatch, limits: SpanLimits, now: number): WriteResult {
    const refused: Record<string, number> = { ...rejections }
    let told = message
    let accepted = 0
    for (const span of spans) {
      const reason = refusalOf(span, limits, now)
      if (reason === undefined) {
        const { service = '', text = '' } = resources[span.resource] ?? {}
        this.#add(span, service, text)
        accepted += 1
      } else {
        refused[reason] = (refused[reason] ?? 0) + 1
        told ||= refusals[reason]
      }
      if (this.#waiting >= mostWaiting) this.commit()
    }
    return { accepted, rejections: refused, message: told }
  }

  /** Writes what waits; it is on the disk at the return. */
  commit(): void {
    if (this.#changed.size > 0) this.index.store(this.#changed)
    for (const [day, spans] of this.#pending) this.days.open(day).append(spans)
    this.#removeEarlier()
    this.#changed = new Map()
    this.#pending = new Map()
    this.#lastDays = new Map()
    this.#waiting = 0
    this.days.closeIdle()
  }

  /** Forgets the traces in memory, because rows of the index were deleted. */
  forget(): void {
    this.#known.clear()
  }

  close(): void {
    this.days.closeAll()
    this.index.close()
  }

  #add(span: SentSpan, service: string, resource: string): void {
    const trace = this.#traceOf(span.traceId, span)
    const day = dayOfSpan(span)
    trace.start = Math.min(trace.start, span.start)
    trace.first = Math.min(trace.first, day)
    trace.last = Math.max(trace.last, day)
    if (span.isRoot && span.start <= (trace.root ?? Infinity)) {
      trace.root = span.start
      trace.service = service
    }
    this.#changed.set(span.traceId, trace)
    const { isError, spanId, start, text } = span
    const pending = this.#pending.get(day) ?? []
    this.#pending.set(day, pending)
    const added = { trace: trace.number, spanId, start, isError, text, resource }
    pending.push(added)
    this.#lastDays.set(keyOf(added), day)
    this.#waiting += text.length
  }

  #traceOf(traceId: string, { start }: SentSpan): IndexedTrace {
    const known = this.#known.get(traceId) ?? this.#changed.get(traceId) ?? this.index.find(traceId)
    const day = dayOf(start / 1000)
    const trace = known ?? { number: this.#nextNumber, start, first: day, last: day, service: null, root: null }
    if (known === undefined) this.#nextNumber += 1
    this.#known.set(traceId, trace)
    return trace
  }

  /** Deletes the spans with the ids of written ones that start on another day: a sender may correct the time of a span. */
  #removeEarlier(): void {
    const traces = new Map([...this.#changed.values()].map(trace => [trace.number, trace]))
    const written = this.places.days()
    for (const [day, spans] of this.#pending) {
      const elsewhere = spans.filter(span => isLong(traces.get(span.trace)) && this.#lastDays.get(keyOf(span)) === day)
      for (const other of elsewhere.length === 0 ? [] : written) {
        const here = elsewhere.filter(({ trace }) => isWithin(other, traces.get(trace)))
        if (other !== day && here.length > 0) this.days.open(other).remove(here)
      }
    }
  }
}

const keyOf = ({ spanId, trace }: PendingSpan): string => `${trace} ${spanId}`

const dayOfSpan = ({ start }: SentSpan): number => dayOf(start / 1000)

function refusalOf({ start }: SentSpan, { retentionMs }: SpanLimits, now: number): keyof typeof refusals | undefined {
  const time = start / 1000
  if (time > now + futureMs) return 'future'
  return time < now - retentionMs ? 'too_old' : undefined
}

const isLong = (trace: IndexedTrace | undefined): boolean => trace !== undefined && trace.first !== trace.last

const isWithin = (day: number, trace: IndexedTrace | undefined): boolean =>
  trace !== undefined && day >= trace.first && day <= trace.last
