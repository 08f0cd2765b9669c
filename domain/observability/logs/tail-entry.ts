import type { LogEntry } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { ShownEntry } from '../logql/evaluation/log-query.ts'
import { timeText } from '../logql/nano-time.ts'

/** Returns an entry with its labels, as a query has made the entry. */
export const tailEntry = ({ entry, labels, line, metadata }: ShownEntry): LogEntry => ({
  time: timeText(entry.time),
  line,
  labels: { ...labels },
  metadata: { ...metadata },
  severity: entry.severity,
  trace_id: entry.traceId,
  span_id: entry.spanId,
  ingest_time: formatMillis(entry.ingestTime),
})
