import { summaryOf } from '../../../../domain/observability/traces/trace-answer.ts'
import type { SpanBudget } from '../../../../domain/observability/traces/span-budget.ts'
import { fitsDuration, spanTest } from '../../../../domain/observability/traces/span-conditions.ts'
import type { FoundTraces, TracePosition, TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { parseTraceQl } from '../../../../domain/observability/traceql/parse.ts'
import { selectSpans } from '../../../../domain/observability/traceql/evaluate.ts'
import type { TraceSummary } from '../../../../output/observability/types.ts'
import type { TraceReader } from './trace-reader.ts'

/**
 * Returns a page of the traces that a search finds; `now` is the time of the call in milliseconds since 1970. Throws
 * QUERY_… errors.
 */
export function searchTraces(
  reader: TraceReader | undefined,
  query: TraceQuery,
  now: number,
  budget: SpanBudget,
): FoundTraces {
  const expression = query.query.trim() === '' ? undefined : parseTraceQl(query.query)
  const fits = spanTest(query)
  const traces: TraceSummary[] = []
  let last: TracePosition | undefined
  for (const found of reader?.between(query, now, query.after) ?? []) {
    budget.check()
    const trace = reader?.load(found, budget)
    if (trace === undefined || !fitsDuration(trace, query)) continue
    const fitting = trace.spans.filter(fits)
    if (fitting.length === 0) continue
    const selected = expression === undefined ? fitting : selectSpans(expression, trace)
    if (selected.length === 0) continue
    // One trace more than the page shows that the page is not the last one.
    if (traces.length === query.limit) return { traces, ...(last !== undefined && { next: last }) }
    traces.push(summaryOf(trace, selected))
    last = [found.start, found.number]
  }
  return { traces }
}
