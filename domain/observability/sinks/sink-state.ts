import type { LogSinkState } from '../../../output/observability/types.ts'
import type { StoredLogSink } from './log-sinks-store.ts'
import type { SinkExport } from './sink-exports-store.ts'

/** Returns the exports of the sources that a sink has now. */
export const presentExports = (
  { sources }: Pick<StoredLogSink, 'sources'>,
  exports: readonly SinkExport[],
): readonly SinkExport[] => exports.filter(({ source }) => sources.includes(source))

/** Returns the state of a sink, which follows from its switch and its exports. */
export function sinkState(
  sink: Pick<StoredLogSink, 'enabled' | 'sources'>,
  exports: readonly SinkExport[],
): LogSinkState {
  if (!sink.enabled) return 'OBSERVABILITY_LOG_SINK_STATE_PAUSED'
  const hasFailed = presentExports(sink, exports).some(({ is_in_error }) => is_in_error)
  return hasFailed ? 'OBSERVABILITY_LOG_SINK_STATE_ERROR' : 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE'
}
