import type { StreamChange } from '../files/log-day-file.ts'
import type { BlockEntry, BuiltBlock } from '../format/block-builder.ts'
import { blocksOf, byStream } from './entry-order.ts'

/** The bytes of lines and details of the entries that are sorted together; the numbers of such entries are contiguous. */
const sortedBytes = 1024 * 1024

/** Returns the parts of new entries, which come in the order of their ingest numbers. */
export function partsOf(entries: readonly BlockEntry[]): readonly BuiltBlock[] {
  const parts: BuiltBlock[] = []
  let bytes = 0
  let start = 0
  for (const [i, { detail, line }] of entries.entries()) {
    bytes += line.length + detail.length
    if (bytes < sortedBytes && i < entries.length - 1) continue
    parts.push(...blocksOf(entries.slice(start, i + 1).sort(byStream), 'fast'))
    start = i + 1
    bytes = 0
  }
  return parts
}

/** Returns what entries add to their streams. */
export function streamChanges(entries: Iterable<BlockEntry>): ReadonlyMap<number, StreamChange> {
  const changes = new Map<number, StreamChange>()
  for (const { line, stream, time } of entries) {
    const change = changes.get(stream)
    if (change === undefined) changes.set(stream, { entries: 1, bytes: line.length, first: time, last: time })
    else {
      change.entries += 1
      change.bytes += line.length
      if (time < change.first) change.first = time
      if (time > change.last) change.last = time
    }
  }
  return changes
}
