import type { LogSink } from '../../../output/observability/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { StoredLogSink } from '../sinks/log-sinks-store.ts'
import { exportsOf, type SinkExport } from '../sinks/sink-exports-store.ts'
import { presentExports } from '../sinks/sink-state.ts'

/** Returns a sink as it is answered at `now`, in milliseconds since 1970. */
export async function sinkAnswer(reader: Reader, sink: StoredLogSink, now: number): Promise<LogSink> {
  const exports = await exportsOf(reader, sink.id)
  const present = presentExports(sink, exports)
  const lastTime = textsOf(exports, 'last_export_time').at(-1)
  const [oldest] = textsOf(present, 'oldest_time')
  return {
    ...sink,
    ...(lastTime !== undefined && { last_export_time: lastTime }),
    exported_entries: exports.reduce((sum, { exported_entries }) => sum + exported_entries, 0),
    lag_seconds: oldest === undefined ? 0 : Math.max(0, Math.floor((now - Date.parse(oldest)) / 1000)),
    last_error: present.find(({ last_error }) => last_error !== '')?.last_error ?? '',
  }
}

/** Returns the times that exports have, the earliest first. */
const textsOf = (exports: readonly SinkExport[], member: 'last_export_time' | 'oldest_time'): readonly string[] =>
  exports.flatMap(({ [member]: time }) => time ?? []).toSorted()
