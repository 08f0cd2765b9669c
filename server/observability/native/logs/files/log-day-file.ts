import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checked, openForWriting, rowOf, rowsOf, transact } from '../../files/telemetry-file.ts'
import type { BuiltBlock } from '../format/block-builder.ts'
import { EntryBlock } from '../format/entry-block.ts'
import { encodeFilter, gramFilter } from '../format/gram-filter.ts'
import { readingBlock } from '../format/malformed-block.ts'
import { decodeRuns, encodeRuns, type StreamRuns } from '../format/stream-runs.ts'
import { logDaySchema } from './log-tables.ts'

/** What the parts of a file have together. */
export interface PartSums {
  readonly count: number
  /** The bytes of their lines. */
  readonly bytes: number
  /** The ingest time of the first entry; Infinity without parts. */
  readonly oldest: number
}

/** The entries of a stream that a change adds or takes away. */
export interface StreamChange {
  entries: number
  bytes: number
  first: bigint
  last: bigint
}

/** A row of `blocks` with the size of its content. */
export interface BlockRow {
  readonly id: number
  readonly isPart: boolean
  readonly runs: StreamRuns
  readonly storedBytes: number
}

/**
 * The file of a day of logs, as the writer holds it. Each commit adds parts, whose entries later move into blocks. An
 * entry lies in one block or part at any time. All calls throw `FileFault`.
 */
export class LogDayFile {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #insertBlock: StatementSync
  readonly #insertContent: StatementSync
  readonly #insertFilter: StatementSync
  readonly #addToStream: StatementSync
  #parts: PartSums

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'logDays', logDaySchema)
    const statement = (sql: string): StatementSync => this.#database.prepare(sql)
    this.#insertBlock = statement(`INSERT INTO blocks (is_part, first_number, last_number, first, last, first_ingest,
      last_ingest, entries, bytes, runs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#insertContent = statement('INSERT INTO contents (id, entries, details) VALUES (?, ?, ?)')
    this.#insertFilter = statement('INSERT INTO filters (id, bits) VALUES (?, ?)')
    this.#addToStream = statement(`INSERT INTO streams (stream, entries, bytes, first, last) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (stream) DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes,
      first = min(first, excluded.first), last = max(last, excluded.last)`)
    this.#parts = this.#readParts()
  }

  get parts(): PartSums {
    return this.#parts
  }

  /** Returns the highest ingest number of the entries; 0 without entries. */
  lastNumber(): number {
    const row = () => rowOf<[number | null]>(this.#database.prepare('SELECT max(last_number) FROM blocks'))
    return checked(this.file, row)?.[0] ?? 0
  }

  /** Adds parts with new entries of streams; they are on the disk at the return. */
  append(parts: readonly BuiltBlock[], streams: ReadonlyMap<number, StreamChange>): void {
    this.#change(() => {
      for (const part of parts) this.#insert(part, true)
      for (const [stream, { bytes, entries, first, last }] of streams)
        this.#addToStream.run(stream, entries, bytes, first, last)
    })
    const { bytes, count, oldest } = this.#parts
    this.#parts = {
      count: count + parts.length,
      bytes: parts.reduce((sum, part) => sum + part.bytes, bytes),
      oldest: parts.reduce((least, part) => Math.min(least, part.firstIngest), oldest),
    }
  }

  /** Returns the ids of the oldest parts, whose lines have together at most `bytes`, or of one part. */
  oldestParts(bytes: number): readonly number[] {
    const statement = this.#database.prepare('SELECT id, bytes FROM blocks WHERE is_part = 1 ORDER BY id')
    const ids: number[] = []
    let sum = 0
    for (const [id, size] of checked(this.file, () => rowsOf<[number, number]>(statement))) {
      sum += size
      if (ids.length > 0 && sum > bytes) break
      ids.push(id)
    }
    return ids
  }

  /** Puts blocks with the same entries in the place of parts. */
  replaceParts(ids: readonly number[], blocks: readonly BuiltBlock[]): void {
    this.#change(() => {
      this.#delete(ids)
      for (const block of blocks) this.#insert(block, false)
    })
    this.#parts = this.#readParts()
  }

  /** Takes a part that is damaged out of the parts: it stays as it is, as a block without a filter. */
  leaveAsBlock(id: number): void {
    this.#change(() => this.#database.prepare('UPDATE blocks SET is_part = 0 WHERE id = ?').run(id))
    this.#parts = this.#readParts()
  }

  /** Returns all blocks and parts without their content. */
  rows(): readonly BlockRow[] {
    const statement = this.#database.prepare(`SELECT id, is_part, runs, length(contents.entries) +
      length(details) + ifnull((SELECT length(bits) FROM filters WHERE filters.id = blocks.id), 0)
      FROM blocks JOIN contents USING (id)`)
    return checked(this.file, () =>
      rowsOf<[number, number, Uint8Array, number]>(statement).map(([id, isPart, runs, storedBytes]) => ({
        id,
        isPart: isPart === 1,
        runs: decodeRuns(runs),
        storedBytes,
      })),
    )
  }

  /** Returns a block or part. The cause of a fault is `MalformedBlock` if the block is damaged. */
  block(id: number): EntryBlock {
    return checked(this.file, () => {
      const statement = this.#database.prepare(
        'SELECT first_number, runs, contents.entries, details FROM blocks JOIN contents USING (id) WHERE id = ?',
      )
      const row = rowOf<[number, Uint8Array, Uint8Array, Uint8Array]>(statement, id)
      if (row === undefined) throw new Error(`there is no block ${id}`)
      const [firstNumber, runs, entries, details] = row
      return readingBlock(id, () => new EntryBlock({ firstNumber, runs: decodeRuns(runs), entries, details }))
    })
  }

  /**
   * Puts a block with fewer entries in the place of a block or part, or none, and takes the entries that are gone from
   * the sums of their streams.
   */
  reduce({ id, isPart }: BlockRow, left: BuiltBlock | undefined, gone: ReadonlyMap<number, StreamChange>): void {
    this.#change(() => {
      this.#delete([id])
      if (left) this.#insert(left, isPart)
      const take = this.#database.prepare(
        'UPDATE streams SET entries = entries - ?, bytes = bytes - ? WHERE stream = ?',
      )
      for (const [stream, { bytes, entries }] of gone) take.run(entries, bytes, stream)
      this.#database.exec('DELETE FROM streams WHERE entries <= 0')
    })
    this.#parts = this.#readParts()
  }

  /** Returns the ids of the streams with entries. */
  streams(): readonly number[] {
    const statement = this.#database.prepare('SELECT stream FROM streams')
    return checked(this.file, () => rowsOf<[number]>(statement)).map(([stream]) => stream)
  }

  /** Gives pages without content back to the file system. */
  shrink(): void {
    checked(this.file, () => this.#database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(PASSIVE)'))
  }

  close(): void {
    this.#database.close()
  }

  #insert(block: BuiltBlock, isPart: boolean): void {
    const { bytes, entries, first, firstIngest, firstNumber, last, lastIngest, lastNumber, length } = block
    const bounds = [firstNumber, lastNumber, first, last, firstIngest, lastIngest] as const
    const runs = encodeRuns(block.runs, block)
    const { lastInsertRowid: id } = this.#insertBlock.run(isPart ? 1 : 0, ...bounds, length, bytes, runs)
    this.#insertContent.run(id, entries, block.details)
    if (!isPart) this.#insertFilter.run(id, encodeFilter(gramFilter(block.lines)))
  }

  #delete(ids: readonly number[]): void {
    for (const table of ['blocks', 'contents', 'filters']) {
      const gone = this.#database.prepare(`DELETE FROM ${table} WHERE id = ?`)
      for (const id of ids) gone.run(id)
    }
  }

  #readParts(): PartSums {
    const sums = 'SELECT count(*), ifnull(sum(bytes), 0), min(first_ingest) FROM blocks WHERE is_part = 1'
    const statement = this.#database.prepare(sums)
    const [count = 0, bytes = 0, oldest] =
      checked(this.file, () => rowOf<[number, number, number | null]>(statement)) ?? []
    return { count, bytes, oldest: oldest ?? Infinity }
  }

  #change(change: () => void): void {
    checked(this.file, () => transact(this.#database, change))
  }
}
