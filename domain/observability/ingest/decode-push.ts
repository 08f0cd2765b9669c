import type { PushedBody } from '../metrics/metric-engine.ts'
import type { MetricBatch } from '../metrics/metric-batch.ts'
import { releaseMemory } from '../release-memory.ts'
import { DeltaSums } from './delta-sums.ts'
import { inflate } from './inflate.ts'
import { exportMetricsRequest } from './otlp/otlp-messages.ts'
import { readMetrics } from './otlp/read-metrics.ts'
import { readOtlp } from './read-otlp.ts'
import { readWriteRequest } from './remote-write.ts'
import { SampleBatch } from './sample-batch.ts'
import { SeriesKeys } from './series-keys.ts'
import { Budget, MessageReader } from './wire/message-reader.ts'

/** The sums of deltas of all ingestion configs whose requests this thread reads. */
const sumsOfThread = new DeltaSums()

/** The keys of the series that this thread has read lately. */
const keysOfThread = new SeriesKeys()

/**
 * Returns the samples of a request of a sender. Samples that break a rule are left out and counted by their reason. The
 * thread that reads the requests of an ingestion config must stay the same while the config turns deltas into sums.
 * Throws PAYLOAD_INVALID for a body that is not a request of the format, and PAYLOAD_TOO_LARGE.
 */
export function decodePush(
  pushed: PushedBody,
  sums: DeltaSums = sumsOfThread,
  keys: SeriesKeys = keysOfThread,
): MetricBatch {
  const { body, coding, format, rules } = pushed
  const batch = new SampleBatch()
  if (format === 'remote-write') {
    const bytes = inflate(pushed)
    readWriteRequest(new MessageReader(bytes, new Budget()), rules, keys, batch)
    // The bytes were made here, and the batch has none of them.
    if (coding === 'snappy') releaseMemory(bytes)
  } else {
    readMetrics(readOtlp(exportMetricsRequest, { body, coding, format }), rules, sums, batch)
  }
  return batch.finish()
}
