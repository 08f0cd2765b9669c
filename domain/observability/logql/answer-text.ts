import { writeRows, writeVector } from '../promql/answer-text.ts'
import { ByteWriter } from '../promql/byte-writer.ts'
import type { Grid, Row } from '../promql/evaluation/vectors.ts'
import type { ShownEntry } from './evaluation/log-query.ts'
import { timeText } from './nano-time.ts'

/** The result of a query: its type, and the JSON text of the member that holds it. */
export interface LogResultText {
  readonly type: 'MATRIX' | 'STREAMS' | 'VECTOR'
  readonly text: string
}

/** What a query cost. */
export interface LogQueryCost {
  readonly bytesScanned: number
  readonly entriesScanned: number
  readonly durationMs: number
}

/** Writes the JSON text of a `LogQueryResponse`. */
export function logAnswerText(
  { type, text }: LogResultText,
  cost: LogQueryCost,
  nextPageToken: string,
  warnings: readonly string[] = [],
): string {
  const member = (name: LogResultText['type']): string => (type === name ? text : '[]')
  const { bytesScanned, entriesScanned, durationMs } = cost
  return [
    `{"result_type":"OBSERVABILITY_RESULT_TYPE_${type}","streams":${member('STREAMS')},"matrix":${member('MATRIX')}`,
    `,"vector":${member('VECTOR')},"next_page_token":${JSON.stringify(nextPageToken)},"stats":{"bytes_scanned":`,
    `${bytesScanned},"entries_scanned":${entriesScanned},"duration_ms":${Math.round(durationMs)}}`,
    `,"warnings":${JSON.stringify(warnings)}}`,
  ].join('')
}

/** Writes the entries of a log query, those with equal labels together, in the order in which the labels appear. */
export function streamsText(entries: readonly ShownEntry[]): string {
  const streams = new Map<string, string[]>()
  for (const entry of entries) {
    const labels = JSON.stringify(entry.labels, Object.keys(entry.labels).sort())
    const texts = streams.get(labels)
    if (texts === undefined) streams.set(labels, [entryText(entry)])
    else texts.push(entryText(entry))
  }
  return `[${Array.from(streams, ([labels, texts]) => `{"labels":${labels},"entries":[${texts.join(',')}]}`).join(',')}]`
}

/** Writes an entry without the labels of its stream. */
function entryText({ entry, line, metadata }: ShownEntry): string {
  const { time, severity, traceId, spanId, ingestTime } = entry
  const ids = `"trace_id":"${traceId}","span_id":"${spanId}","ingest_time":"${new Date(ingestTime).toISOString()}"`
  const text = `"time":"${timeText(time)}","line":${JSON.stringify(line)},"metadata":${JSON.stringify(metadata)}`
  return `{${text},"severity":"${severity}",${ids}}`
}

/** Writes the elements of a metric query at one time, or over its range. Throws QUERY_LIMIT_EXCEEDED above 128 MiB. */
export function metricText(rows: readonly Row[], grid: Grid, isRange: boolean): LogResultText {
  const writer = new ByteWriter()
  if (isRange) writeRows(writer, rows, grid)
  else writeVector(writer, rows, grid.start)
  return { type: isRange ? 'MATRIX' : 'VECTOR', text: new TextDecoder().decode(writer.finish()) }
}
