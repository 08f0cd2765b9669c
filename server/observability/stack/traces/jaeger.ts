import { lacking } from '../../../../domain/observability/stacks/stack.ts'
import {
  workspaceLabel,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import { formatNanos } from '../../../../domain/observability/traces/trace-answer.ts'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { MemberClient, MemberResponse } from '../member-client.ts'
import { refusedReading, refusedSearch } from '../refused-query.ts'
import { isAbsent, jaegerAnswer, type JaegerAnswer } from './jaeger-answer.ts'
import { newestFirst, readBeginning, type TimeWindow, type WindowTraces } from './newest-first.ts'
import { readTraces } from './read-traces.ts'
import { timeoutMs, type Candidates, type TraceBackend } from './trace-backend.ts'

/** The traces that a search asks for beyond its limit, some of which may be those of other workspaces. */
const extraTraces = 100

/** How long after the start of its trace a span may start and still be found, in microseconds. */
const lateMicros = 600_000_000

/**
 * The latest time of a search, in microseconds since 1970: a later time is not exact as a number, or has more nanoseconds
 * than 63 bits hold.
 */
const latestMicros = Number.MAX_SAFE_INTEGER - lateMicros

/**
 * The API v3 of Jaeger; the address of the member ends in `/api/v3`. A search of Jaeger finds traces by the start of one of
 * their spans, answers no more than a number of traces, and answers them in no order (jaeger-idl, api_v3/query_service).
 */
export class Jaeger implements TraceBackend {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  async trace(workspace: string, traceId: string, signal: AbortSignal): Promise<LoadedTrace | undefined> {
    // Spans as they are stored: Jaeger changes times and attributes otherwise.
    const path = `/traces/${traceId}?raw_traces=true`
    const response = await this.#client.send({ isQuery: true, path, workspace, timeoutMs, signal })
    if (response.status !== 200 && response.status !== 404) throw refusedReading(this.#client, response.status)
    return this.#own(this.#answer(response, workspace), workspace).find(trace => trace.traceId === traceId)
  }

  /** Throws ENGINE_CAPABILITY_UNSUPPORTED for a search in TraceQL or without a service, neither of which Jaeger knows. */
  async *candidates(
    workspace: string,
    query: TraceQuery,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Candidates> {
    if (query.query.trim() !== '') throw lacking('Jaeger does not search in TraceQL', 'TRACEQL')
    if (query.service === '')
      throw lacking('Jaeger searches the traces of one service; name a service', 'SEARCH_ALL_SERVICES')
    const read = (window: TimeWindow) => this.#window(workspace, query, window, signal).catch(tooLarge)
    const to = Math.min(end, latestMicros)
    yield { traces: await readBeginning({ from: to, to: to + lateMicros }, read), from: to }
    yield* newestFirst({ from: query.start, to }, query.timeoutMs / 2, read)
  }

  /** Returns the traces with a span of the service and the name that starts in a window. */
  async #window(workspace: string, query: TraceQuery, window: TimeWindow, signal: AbortSignal): Promise<WindowTraces> {
    const depth = query.limit + extraTraces
    const path = `/traces?${this.#searchForm(workspace, query, window, depth)}`
    const response = await this.#client.send({ isQuery: true, path, workspace, timeoutMs: query.timeoutMs, signal })
    const { status } = response
    if (status !== 200 && status !== 404) throw refusedSearch(this.#client, status)
    const answer = this.#answer(response, workspace)
    return { traces: this.#own(answer, workspace), isFull: answer.count >= depth }
  }

  /**
   * Returns the parameters of a search, without those that would leave out traces that fit: Jaeger compares the durations of
   * spans, and attributes as texts. Some versions compare no attributes; the number of traces has two names.
   */
  #searchForm(workspace: string, { service, spanName }: TraceQuery, { from, to }: TimeWindow, depth: number) {
    const labelled = this.#labelled(workspace)
    return new URLSearchParams({
      'query.service_name': service,
      ...(spanName !== '' && { 'query.operation_name': spanName }),
      'query.start_time_min': timeText(from),
      'query.start_time_max': timeText(to),
      ...(labelled !== undefined && { 'query.attributes': JSON.stringify({ [workspaceLabel]: labelled }) }),
      'query.search_depth': String(depth),
      'query.num_traces': String(depth),
      'query.raw_traces': 'true',
    })
  }

  /** Returns what Jaeger answers with status 200, or 404 if it has no such trace. */
  #answer(response: MemberResponse, workspace: string): JaegerAnswer {
    const value = this.#client.jsonOfSenders(response)
    if (response.status === 404 && isAbsent(value)) return noTraces
    const answer = response.status === 200 ? jaegerAnswer(value, this.#labelled(workspace)) : undefined
    return answer ?? this.#malformed()
  }

  #own({ own }: JaegerAnswer, workspace: string): readonly LoadedTrace[] {
    return readTraces(new TextEncoder().encode(own), 'otlp-json', this.#labelled(workspace)) ?? this.#malformed()
  }

  #labelled(workspace: string): LabelledWorkspace {
    return this.#client.member.hasTenants ? undefined : workspace
  }

  #malformed(): never {
    throw this.#client.unavailable('answers with something else than the API of Jaeger')
  }
}

const noTraces: JaegerAnswer = { own: '{}', count: 0 }

/** Returns a full window for the error of an answer that is too large, and throws other errors. */
function tooLarge(error: unknown): WindowTraces {
  if (error instanceof ApiError && error.reason === 'QUERY_LIMIT_EXCEEDED') return { traces: [], isFull: true }
  throw error
}

const timeText = (micros: number): string => formatNanos(BigInt(Math.max(0, micros)) * 1000n)
