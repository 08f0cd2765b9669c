import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { faultsIn, numberOf, rows } from '../files/file-checks.ts'
import type { SignalPlaces } from '../files/places.ts'
import { labelsOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import { checkedBlock, storedBlocks } from './block-checks.ts'

/** The entries of a stream, and the bytes of their lines. */
type Sums = readonly [entries: number, bytes: number]

/**
 * Yields the faults of the files of the logs of a workspace, as continuations of its name: files that are damaged, sums of
 * streams that differ from their entries, and streams that the index has never had.
 */
export function* logFaults(places: SignalPlaces): Generator<string> {
  const newest = new Map<number, number>()
  for (const day of places.days()) {
    const file = places.day(day)
    let found = ''
    yield* faultsIn(file, 'logDays', database => {
      // One snapshot, because a server may write meanwhile.
      database.exec('BEGIN')
      const sums = sumsOfBlocks(database)
      found = differenceOf(sums, database)
      newest.set(day, Math.max(0, ...sums.keys()))
    })
    if (found !== '') yield `has a file ${basename(file)} in which ${found}`
  }
  // The index has a stream before the files of days have its entries, so the index is read after these files.
  let last = Infinity
  yield* faultsIn(places.index, 'logIndex', database => {
    for (const [labels] of rows(database, 'SELECT labels FROM streams')) labelsOfKey(String(labels))
    last = numberOf(database, `SELECT seq FROM sqlite_sequence WHERE name = 'streams'`)
  })
  for (const [day, stream] of newest)
    if (stream > last) yield `has entries of a stream ${stream} in ${basename(places.day(day))}; the index has ${last}`
}

/** Returns the sums of each stream from the entries. Throws `MalformedBlock`. */
function sumsOfBlocks(database: DatabaseSync): Map<number, Sums> {
  const sums = new Map<number, Sums>()
  for (const row of rows(database, storedBlocks)) {
    const block = checkedBlock(row)
    let start = 0
    for (const [run, end] of block.runs.ends.entries()) {
      const stream = block.runs.streams[run] ?? 0
      const [count, bytes] = sums.get(stream) ?? [0, 0]
      const lineBytes = end === start ? 0 : (block.lineEnds[end - 1] ?? 0) - block.lineStart(start)
      sums.set(stream, [count + end - start, bytes + lineBytes])
      start = end
    }
  }
  return sums
}

/** Returns the first difference between sums and those that the file notes; empty without a difference. */
function differenceOf(sums: ReadonlyMap<number, Sums>, database: DatabaseSync): string {
  const left = new Set(sums.keys())
  for (const [stream, entries, bytes] of rows(database, 'SELECT stream, entries, bytes FROM streams')) {
    left.delete(Number(stream))
    const [count, size] = sums.get(Number(stream)) ?? [0, 0]
    if (count !== entries || size !== bytes)
      return `the stream ${Number(stream)} has ${count} entries of ${size} bytes instead of ${Number(entries)} of ${Number(bytes)}`
  }
  const [unknown] = left
  return unknown === undefined ? '' : `the stream ${unknown} has entries that are not counted`
}
