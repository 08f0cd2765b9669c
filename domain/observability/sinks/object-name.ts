import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredLogSink } from './log-sinks-store.ts'
import type { SinkBatch, SinkExport } from './sink-exports-store.ts'

/**
 * Returns the name of the object of a batch (observability.md 4.9). The name follows from the batch alone, so that a
 * repetition replaces the object.
 */
export function objectName(
  { name }: Pick<StoredLogSink, 'name'>,
  prefix: string,
  source: SinkExport['source'],
  { first, first_time, last }: Pick<SinkBatch, 'first' | 'first_time' | 'last'>,
): string {
  const hour = first_time.slice(0, 13).replaceAll(/[-T]/g, '/')
  const folder = source === 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES' ? ['activities'] : []
  return [...(prefix === '' ? [] : [prefix]), name, ...folder, hour, `${first}-${last}.ndjson.gz`].join('/')
}

/** The largest size in bytes of the part of a name that follows the prefix; the name of a sink has at most 63 bytes. */
export const longestNameBytes = objectName({ name: 'x'.repeat(63) }, 'x', 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES', {
  first: Number.MAX_SAFE_INTEGER,
  last: Number.MAX_SAFE_INTEGER,
  first_time: formatMillis(0),
}).slice(1).length
