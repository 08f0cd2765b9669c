import type { StatementSync } from 'node:sqlite'
import { releaseMemory } from '../../../../../domain/observability/release-memory.ts'
import { checked, rowOf, rowsOf } from '../../files/telemetry-file.ts'
import { FileSnapshot } from '../../reading/file-snapshot.ts'
import { EntryBlock } from '../format/entry-block.ts'
import { decodeFilter, mayContain } from '../format/gram-filter.ts'
import { readingBlock } from '../format/malformed-block.ts'
import { decodeRuns, requireUnchanged, type BlockBounds, type StreamRuns } from '../format/stream-runs.ts'

/** What a file notes about a block or part, which has the content. */
export interface BlockHead extends BlockBounds {
  readonly id: number
  readonly file: LogDayReader
  readonly runs: StreamRuns
}

/** The sums of the entries of a stream in a day, and bounds of their times. */
export interface StreamSums {
  readonly stream: number
  readonly entries: number
  readonly bytes: number
  readonly first: bigint
  readonly last: bigint
}

type HeadRow = readonly [
  firstNumber: bigint,
  lastNumber: bigint,
  first: bigint,
  last: bigint,
  firstIngest: number,
  lastIngest: number,
  bytes: bigint,
  runs: Uint8Array,
]

const heads =
  'SELECT id, first_number, last_number, first, last, first_ingest, last_ingest, bytes, runs FROM blocks WHERE'

/** The file of a day of logs, as a thread of queries reads it. All calls throw `FileFault`. */
export class LogDayReader {
  readonly #snapshot: FileSnapshot
  readonly #byTime: StatementSync
  readonly #byNumber: StatementSync
  readonly #byIngest: StatementSync
  readonly #content: StatementSync
  readonly #filter: StatementSync
  readonly #streams: StatementSync

  private constructor(snapshot: FileSnapshot) {
    this.#snapshot = snapshot
    const statement = (sql: string, readsBigInts = false): StatementSync => {
      const prepared = snapshot.database.prepare(sql)
      prepared.setReadBigInts(readsBigInts)
      return prepared
    }
    this.#byTime = statement(`${heads} last >= ? AND first < ?`, true)
    this.#byNumber = statement(`${heads} last_number > ? AND first_number <= ?`, true)
    this.#byIngest = statement(`${heads} last_ingest >= ?`, true)
    this.#content = statement('SELECT entries, details FROM contents WHERE id = ?')
    this.#filter = statement('SELECT bits FROM filters WHERE id = ?')
    this.#streams = statement('SELECT stream, entries, bytes, first, last FROM streams', true)
  }

  /** Opens a file; undefined if there is no such file. */
  static open(file: string): LogDayReader | undefined {
    const snapshot = FileSnapshot.open(file, 'logDays')
    return snapshot && checked(file, () => new LogDayReader(snapshot))
  }

  get isCurrent(): boolean {
    return this.#snapshot.isCurrent
  }

  /** Returns the blocks and parts that may have entries at `from` or later, and before `before`. */
  between(from: bigint, before: bigint): readonly BlockHead[] {
    return this.#heads(this.#byTime, from, before)
  }

  /** Returns the blocks and parts that may have entries with numbers greater than `after`, and up to `last`. */
  numbered(after: number, last: number): readonly BlockHead[] {
    return this.#heads(this.#byNumber, after, last)
  }

  /** Returns the blocks and parts that have entries that came in at `since` or later, in milliseconds since 1970. */
  ingestedSince(since: number): readonly BlockHead[] {
    return this.#heads(this.#byIngest, since)
  }

  /** Reads the content of a block or part of this file. */
  read({ firstNumber, id, runs }: BlockHead): EntryBlock {
    return this.#snapshot.read(() => {
      const row = rowOf<[Uint8Array, Uint8Array]>(this.#content, id)
      if (row === undefined) throw new Error(`there is no content of block ${id}`)
      const [entries, details] = row
      return readingBlock(id, () => new EntryBlock({ firstNumber, runs, entries, details }))
    })
  }

  /** Whether a block may have all texts; each list counts as one of its texts. True for parts, which have no filter. */
  mayContain(id: number, required: readonly (readonly Uint8Array[])[]): boolean {
    if (required.length === 0) return true
    const filter = this.#snapshot.read(() => {
      const [bits] = rowOf<[Uint8Array]>(this.#filter, id) ?? []
      return bits && readingBlock(id, () => decodeFilter(bits))
    })
    if (filter === undefined) return true
    const isPossible = required.every(texts => texts.some(text => mayContain(filter, text)))
    // A search reads thousands of filters.
    releaseMemory(filter)
    return isPossible
  }

  /** Returns the sums of all streams in the file. */
  streams(): readonly StreamSums[] {
    const rows = this.#snapshot.read(() => rowsOf<[bigint, bigint, bigint, bigint, bigint]>(this.#streams))
    return rows.map(([stream, entries, bytes, first, last]) => ({
      stream: Number(stream),
      entries: Number(entries),
      bytes: Number(bytes),
      first,
      last,
    }))
  }

  /** Ends the snapshot of the file; the next call reads the newest content. */
  endSnapshot(): void {
    this.#snapshot.end()
  }

  close(): void {
    this.#snapshot.close()
  }

  #heads(statement: StatementSync, ...parameters: readonly (bigint | number)[]): readonly BlockHead[] {
    return this.#snapshot.read(() =>
      rowsOf<[id: bigint, ...HeadRow]>(statement, ...parameters).map(([id, ...rest]) => {
        const head = Number(id)
        return { id: head, file: this, ...readingBlock(head, () => boundsAndRuns(rest)) }
      }),
    )
  }
}

/** Returns the bounds and the streams of a block. Throws `MalformedBlock` if they have changed. */
function boundsAndRuns(row: HeadRow): BlockBounds & Pick<BlockHead, 'runs'> {
  const [firstNumber, lastNumber, first, last, firstIngest, lastIngest, bytes, runs] = row
  const bounds = {
    firstNumber: Number(firstNumber),
    lastNumber: Number(lastNumber),
    first,
    last,
    firstIngest,
    lastIngest,
    bytes: Number(bytes),
  }
  requireUnchanged(runs, bounds)
  return { ...bounds, runs: decodeRuns(runs) }
}
