import type { LogSeverity } from '../../../../output/observability/types.ts'
import { idOf, severityOf } from '../../../../domain/observability/ingest/otlp/read-logs.ts'
import { streamsText, type LogResultText } from '../../../../domain/observability/logql/answer-text.ts'
import type { EntryPosition, ShownEntry } from '../../../../domain/observability/logql/evaluation/log-query.ts'
import type { LogQuery } from '../../../../domain/observability/logql/run-query.ts'
import type { Labels } from '../../../../domain/observability/metrics/samples.ts'
import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { labelsOf, listOf, MalformedResult, recordOf } from '../metrics/result-values.ts'

/** Returns the entries in `data` of a log query. Throws MalformedResult for another value. */
export function entriesOf(
  { result, resultType }: Readonly<Record<string, unknown>>,
  workspace: LabelledWorkspace,
): readonly ShownEntry[] {
  if (resultType !== 'streams') throw new MalformedResult()
  return listOf(result).flatMap(each => {
    const { stream, values } = recordOf(each)
    const labels = labelsOf(stream, workspace)
    return listOf(values).map(value => entryOf(listOf(value), labels))
  })
}

function entryOf([nanos, line, categories]: readonly unknown[], stream: Labels): ShownEntry {
  if (typeof nanos !== 'string' || !/^\d{1,19}$/.test(nanos) || typeof line !== 'string') throw new MalformedResult()
  const { parsed = {}, structuredMetadata = {} } = recordOf(categories ?? {})
  const all = labelsOf(structuredMetadata, undefined)
  const { severity_number: number = '', severity_text: text = '', span_id, trace_id, ...metadata } = all
  const time = BigInt(nanos)
  const severity: LogSeverity = severityOf(Number(number) || 0, text)
  const entry = {
    time,
    number: 0,
    line,
    metadata,
    severity,
    traceId: idOf(trace_id, 32),
    spanId: idOf(span_id, 16),
    // Loki does not tell when an entry came in.
    ingestTime: Number(time / 1_000_000n),
  }
  return { entry, line, labels: { ...stream, ...labelsOf(parsed, undefined) }, metadata }
}

/** Returns a page of entries in the direction of a query, without those that the page before has shown. */
export function pageOf(
  entries: readonly ShownEntry[],
  { after, direction, limit }: LogQuery,
  skip: number,
): { readonly result: LogResultText; readonly next?: EntryPosition } {
  const sign = direction === 'FORWARD' ? 1 : -1
  const ordered = entries.toSorted((one, other) => sign * compare(one.entry.time, other.entry.time))
  const shown = ordered.slice(skip, skip + limit)
  const last = shown.at(-1)?.entry.time
  const result = { type: 'STREAMS', text: streamsText(shown) } as const
  if (last === undefined || shown.length < limit) return { result }
  // The next page begins with the entries at this time again: those of this page, and of the pages before.
  const number = shown.filter(({ entry }) => entry.time === last).length + (after?.time === last ? skip : 0)
  return { result, next: { time: last, number } }
}

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)
