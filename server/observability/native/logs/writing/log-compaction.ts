import type { FileFault } from '../../files/telemetry-file.ts'
import type { LogDayFile } from '../files/log-day-file.ts'
import type { BlockEntry, BuiltBlock } from '../format/block-builder.ts'
import type { EntryBlock } from '../format/entry-block.ts'
import { isOfDamagedBlock } from '../format/malformed-block.ts'
import { blocksOf } from './entry-order.ts'

/** The bytes of lines of one compaction. */
const compactionBytes = 8 * 1024 * 1024

/** The bytes of lines in parts, their number, and their age in milliseconds, from which a compaction is due. */
const dueBytes = 4 * 1024 * 1024
const dueParts = 1000
const dueMs = 3_600_000

/** Whether the parts of a file are to move into blocks. */
export const isLogCompactionDue = ({ parts: { bytes, count, oldest } }: LogDayFile, now: number): boolean =>
  bytes >= dueBytes || count >= dueParts || (count > 0 && oldest < now - dueMs)

/** Moves the entries of the oldest parts of a file into blocks, a block at a step. Only the end has an effect on the file. */
export class LogCompaction {
  readonly #file: LogDayFile
  readonly #ids: readonly number[]
  readonly #next: Generator<BuiltBlock, void, undefined>
  readonly #blocks: BuiltBlock[] = []

  /** `report` gets the faults of damaged parts, which are left out. Throws `FileFault`. */
  constructor(file: LogDayFile, report: (fault: FileFault) => void) {
    this.#file = file
    const parts = soundParts(file, report)
    this.#ids = [...parts.keys()]
    this.#next = blocksOf(inOrder([...parts.values()]), 'lasting')
  }

  /** Builds a block, or ends the compaction; returns whether it has ended. */
  step(): boolean {
    const { done, value } = this.#next.next()
    if (done === true) this.#file.replaceParts(this.#ids, this.#blocks)
    else this.#blocks.push(value)
    return done === true
  }
}

/** Reads the oldest parts of a file by their ids. Damaged ones are reported, and are no parts any more. */
function soundParts(file: LogDayFile, report: (fault: FileFault) => void): ReadonlyMap<number, EntryBlock> {
  const parts = new Map<number, EntryBlock>()
  for (const id of file.oldestParts(compactionBytes)) {
    try {
      parts.set(id, file.block(id))
    } catch (error) {
      if (!isOfDamagedBlock(error)) throw error
      report(error)
      file.leaveAsBlock(id)
    }
  }
  return parts
}

/** The place of an entry. */
interface Place {
  readonly stream: number
  readonly block: EntryBlock
  readonly index: number
}

/** Returns the entries of blocks in the order of one block. */
function* inOrder(blocks: readonly EntryBlock[]): Generator<BlockEntry, void, undefined> {
  const places: Place[] = []
  for (const block of blocks) {
    let index = 0
    for (const [run, end] of block.runs.ends.entries()) {
      const stream = block.runs.streams[run] ?? 0
      for (; index < end; index += 1) places.push({ stream, block, index })
    }
  }
  places.sort(
    (one, other) =>
      one.stream - other.stream ||
      one.block.compareTimes(one.index, other.block, other.index) ||
      one.block.number(one.index) - other.block.number(other.index),
  )
  for (const { block, index, stream } of places) yield entryAt(block, index, stream)
}

/** Returns an entry of a block in the form in which blocks store it. */
export const entryAt = (block: EntryBlock, index: number, stream: number): BlockEntry => ({
  stream,
  time: block.time(index),
  number: block.number(index),
  ingestTime: block.ingestTime(index),
  severity: block.severityNumber(index),
  line: block.lineBytes(index),
  detail: block.detailBytes(index),
})
