import { traceNotFound } from '../../../../output/observability/errors.ts'
import type { Trace, TraceSummary } from '../../../../output/observability/types.ts'
import { selectSpans } from '../../../../domain/observability/traceql/evaluate.ts'
import { parseTraceQl } from '../../../../domain/observability/traceql/parse.ts'
import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import { fitsDuration, spanTest } from '../../../../domain/observability/traces/span-conditions.ts'
import { countsOf, summaryOf, traceAnswer } from '../../../../domain/observability/traces/trace-answer.ts'
import type { FoundTraces, TraceQuery, TraceSource } from '../../../../domain/observability/traces/trace-engine.ts'
import { JsonText } from '../../../../runtime/json.ts'
import { lateQuery } from '../refused-query.ts'
import type { Candidates, TraceBackend } from './trace-backend.ts'

/**
 * The traces of workspaces in a store of others. The store finds traces that may fit; their spans are read and compared
 * as the native engine compares them.
 */
export class StackTraces implements TraceSource {
  readonly #backend: TraceBackend

  constructor(backend: TraceBackend) {
    this.#backend = backend
  }

  async trace(workspace: string, traceId: string, signal: AbortSignal): Promise<JsonText<Trace>> {
    const trace = await this.#backend.trace(workspace, traceId, signal)
    if (trace !== undefined) return new JsonText(JSON.stringify(traceAnswer(trace, countsOf(trace))))
    throw traceNotFound(`no trace ${traceId}`, { resource: { type: 'observability.traces', name: traceId } })
  }

  async search(workspace: string, query: TraceQuery, signal: AbortSignal): Promise<FoundTraces> {
    const expression = query.query.trim() === '' ? undefined : parseTraceQl(query.query)
    const fits = spanTest(query)
    const [before] = query.after ?? [query.end + 1]
    const { isFull, traces } = await this.#candidates(workspace, query, before, signal)
    const found: (readonly [start: number, summary: TraceSummary])[] = []
    for (const trace of traces) {
      const start = micros(trace)
      if (start < query.start || start >= before || !fitsDuration(trace, query)) continue
      const fitting = trace.spans.filter(fits)
      const selected = expression === undefined || fitting.length === 0 ? fitting : selectSpans(expression, trace)
      if (selected.length > 0) found.push([start, summaryOf(trace, selected)])
    }
    const page = found.toSorted(([one], [other]) => other - one).slice(0, query.limit)
    const last = page.at(-1)
    const hasMore = isFull || found.length > page.length
    return { traces: page.map(([, summary]) => summary), ...(hasMore && last && { next: [last[0], 0] }) }
  }

  /** Returns the traces that may fit. Throws QUERY_TIMEOUT if they do not arrive in the time of the query. */
  async #candidates(workspace: string, query: TraceQuery, before: number, signal: AbortSignal): Promise<Candidates> {
    const late = AbortSignal.timeout(query.timeoutMs)
    try {
      return await this.#backend.candidates(workspace, query, before, AbortSignal.any([signal, late]))
    } catch (error) {
      throw late.aborted && !signal.aborted ? lateQuery() : error
    }
  }
}

/** Returns the start of a trace in microseconds since 1970, rounded down. */
const micros = ({ start }: LoadedTrace): number => Number(start / 1000n)
