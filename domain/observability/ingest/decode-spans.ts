import type { PushedSpans, SpanBatch } from '../traces/trace-engine.ts'
import { readSpans } from './otlp/read-spans.ts'
import { exportTraceRequest } from './otlp/trace-messages.ts'
import { readOtlp } from './read-otlp.ts'
import { SpanCollector } from './span-collector.ts'

/**
 * Returns the spans of a request of a sender. Spans that break a rule are left out and counted by their reason. Throws
 * PAYLOAD_INVALID for a body that is not a request of the format, and PAYLOAD_TOO_LARGE.
 */
export function decodeSpans({ staticAttributes, ...sent }: PushedSpans): SpanBatch {
  const collector = new SpanCollector()
  readSpans(readOtlp(exportTraceRequest, sent), staticAttributes, collector)
  return collector.finish()
}
