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
import { TracePage } from './trace-page.ts'

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
    const summarize = (trace: LoadedTrace): TraceSummary | undefined => {
      if (!fitsDuration(trace, query)) return undefined
      const fitting = trace.spans.filter(fits)
      const selected = expression === undefined || fitting.length === 0 ? fitting : selectSpans(expression, trace)
      return selected.length > 0 ? summaryOf(trace, selected) : undefined
    }
    const page = new TracePage(query)
    let reached = page.end
    for await (const { from, traces } of this.#candidates(workspace, query, page.end, signal)) {
      for (const trace of traces) page.add(trace, summarize)
      reached = from
      if (page.isFull(reached)) break
    }
    return page.finish(reached)
  }

  /** Returns the traces that may fit. Throws QUERY_TIMEOUT if they do not arrive in the time of the query. */
  async *#candidates(
    workspace: string,
    query: TraceQuery,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Candidates> {
    const late = AbortSignal.timeout(query.timeoutMs)
    try {
      yield* this.#backend.candidates(workspace, query, end, AbortSignal.any([signal, late]))
    } catch (error) {
      throw late.aborted && !signal.aborted ? lateQuery() : error
    }
  }
}
