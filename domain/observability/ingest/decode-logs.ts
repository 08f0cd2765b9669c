import type { LogBatch } from '../logs/log-batch.ts'
import type { PushedLogs } from '../logs/log-engine.ts'
import { LogCollector } from './log-collector.ts'
import { exportLogsRequest } from './otlp/log-messages.ts'
import { readLogs } from './otlp/read-logs.ts'
import { readOtlp } from './read-otlp.ts'

/**
 * Returns the log entries of a request of a sender. Entries that break a rule are left out and counted by their reason.
 * Throws PAYLOAD_INVALID for a body that is not a request of the format, and PAYLOAD_TOO_LARGE.
 */
export function decodeLogs({ rules, ...sent }: PushedLogs): LogBatch {
  const collector = new LogCollector()
  readLogs(readOtlp(exportLogsRequest, sent), rules, collector)
  return collector.finish()
}
