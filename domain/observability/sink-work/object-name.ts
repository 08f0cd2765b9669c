import type { StoredLogSink } from '../sinks/log-sinks-store.ts'
import type { SinkBatch, SinkExport } from '../sinks/sink-exports-store.ts'

/**
 * Returns the name of the object of a batch (observability.md 4.9). The name follows from the batch alone, so that a
 * repetition replaces the object.
 */
export function objectName(
  { name }: Pick<StoredLogSink, 'name'>,
  prefix: string,
  source: SinkExport['source'],
  { first, first_time, last }: SinkBatch,
): string {
  const hour = first_time.slice(0, 13).replaceAll(/[-T]/g, '/')
  const folder = source === 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES' ? ['activities'] : []
  return [...(prefix === '' ? [] : [prefix]), name, ...folder, hour, `${first}-${last}.ndjson.gz`].join('/')
}
