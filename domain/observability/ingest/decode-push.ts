import type { PushedBody } from '../metrics/metric-engine.ts'
import type { MetricBatch } from '../metrics/metric-batch.ts'
import { DeltaSums } from './delta-sums.ts'
import { inflate } from './inflate.ts'
import { exportMetricsRequest } from './otlp/otlp-messages.ts'
import { readMetrics } from './otlp/read-metrics.ts'
import { invalidPayload, readable } from './payload-faults.ts'
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
  const bytes = inflate(pushed)
  const batch = new SampleBatch()
  const reader = () => new MessageReader(bytes, new Budget())
  switch (pushed.format) {
    case 'otlp-json':
      readMetrics(exportMetricsRequest.fromJson(jsonOf(bytes), 'body'), pushed.rules, sums, batch)
      break
    case 'otlp-protobuf':
      readMetrics(exportMetricsRequest.whole(reader()), pushed.rules, sums, batch)
      break
    case 'remote-write':
      readWriteRequest(reader(), pushed.rules, keys, batch)
      break
    default:
      pushed.format satisfies never
  }
  return batch.finish()
}

/** Parses JSON, after its values are counted: small values take much more memory than their text. */
function jsonOf(bytes: Uint8Array): unknown {
  new Budget().spend(countValues(bytes))
  return readable('is not JSON in UTF-8', () => {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (value === null) throw invalidPayload('is null')
    return value
  })
}

/** Counts the bytes of JSON after which a value begins: `,`, `[` and `{`. */
function countValues(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
  return count
}
