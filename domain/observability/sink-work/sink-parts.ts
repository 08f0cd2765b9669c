import type { ObservabilityEnvironment } from '../environment.ts'
import type { SecretPayloads } from '../outbound/secret-payloads.ts'

/** The parts that export what sinks choose. */
export type SinkParts = Pick<
  ObservabilityEnvironment,
  'clock' | 'failed' | 'functions' | 'lease' | 'outbound' | 'sinkCounts' | 'sinkLogs' | 'store' | 'taxonomy'
> & {
  /** The headers of receivers of OTLP. */
  readonly payloads: SecretPayloads
}
