import { withChecksum } from './checksums.ts'
import { compress, version, type Effort } from './compressed.ts'
import { checksumBeside, columnBytes, headerBytes, type StoredBlock } from './entry-block.ts'
import type { BlockBounds, StreamRuns } from './stream-runs.ts'

/** An entry with its members in the form in which blocks store them. */
export interface BlockEntry {
  readonly stream: number
  readonly time: bigint
  readonly number: number
  readonly ingestTime: number
  /** The position of the severity among the values of the API. */
  readonly severity: number
  readonly line: Uint8Array
  /** The details as `detailText` returns them. */
  readonly detail: Uint8Array
}

/** A block, and what a file notes beside it. */
export interface BuiltBlock extends StoredBlock, BlockBounds {
  readonly length: number
  /** All lines, one after the other. */
  readonly lines: Uint8Array
}

/** Collects entries, which come in the order of a block: by stream, time and ingest number. */
export class BlockBuilder {
  readonly #entries: BlockEntry[] = []
  #lineBytes = 0
  #detailBytes = 0

  get length(): number {
    return this.#entries.length
  }

  /** The bytes of the lines and details. */
  get bytes(): number {
    return this.#lineBytes + this.#detailBytes
  }

  add(entry: BlockEntry): void {
    this.#entries.push(entry)
    this.#lineBytes += entry.line.length
    this.#detailBytes += entry.detail.length
  }

  /** Returns the block of the entries, which are at least one. */
  build(effort: Effort): BuiltBlock {
    const entries = this.#entries
    const { length } = entries
    const numbers = entries.map(({ number }) => number)
    const ingests = entries.map(({ ingestTime }) => ingestTime)
    const firstNumber = least(numbers)
    const { columns, lines } = this.#columns(firstNumber)
    const details = this.#detailBytes === 0 ? new Uint8Array(0) : compress(this.#details(), effort)
    const beside = { firstNumber, runs: runsOf(entries), details }
    return {
      ...beside,
      lastNumber: -least(numbers.map(number => -number)),
      ...timesOf(entries),
      firstIngest: least(ingests),
      lastIngest: -least(ingests.map(time => -time)),
      length,
      bytes: this.#lineBytes,
      lines,
      entries: withChecksum(compress(columns, effort), checksumBeside(beside)),
    }
  }

  #columns(firstNumber: number): { readonly columns: Uint8Array; readonly lines: Uint8Array } {
    const { length } = this.#entries
    const bytes = new Uint8Array(headerBytes + length * columnBytes + this.#lineBytes)
    const { buffer } = bytes
    new Uint32Array(buffer, 0, 4).set([version, length, this.#lineBytes, 0])
    const times = new BigInt64Array(buffer, headerBytes, length)
    const ingestTimes = new Float64Array(buffer, headerBytes + length * 8, length)
    const numbers = new Uint32Array(buffer, headerBytes + length * 16, length)
    const ends = new Uint32Array(buffer, headerBytes + length * 20, length)
    const severities = bytes.subarray(headerBytes + length * 24)
    const lines = bytes.subarray(headerBytes + length * columnBytes)
    let end = 0
    for (const [i, { ingestTime, line, number, severity, time }] of this.#entries.entries()) {
      times[i] = time
      ingestTimes[i] = ingestTime
      numbers[i] = number - firstNumber
      severities[i] = severity
      lines.set(line, end)
      end += line.length
      ends[i] = end
    }
    return { columns: bytes, lines }
  }

  #details(): Uint8Array {
    const { length } = this.#entries
    const bytes = new Uint8Array(4 + length * 4 + this.#detailBytes)
    new Uint32Array(bytes.buffer, 0, 1)[0] = version
    const ends = new Uint32Array(bytes.buffer, 4, length)
    const texts = bytes.subarray(4 + length * 4)
    let end = 0
    for (const [i, { detail }] of this.#entries.entries()) {
      texts.set(detail, end)
      end += detail.length
      ends[i] = end
    }
    return bytes
  }
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity)

/** Returns the first and the last time of entries, which are ordered by time within each stream. */
function timesOf(entries: readonly BlockEntry[]): Pick<BlockBounds, 'first' | 'last'> {
  let first = entries[0]?.time ?? 0n
  let last = first
  for (const { time } of entries) {
    if (time < first) first = time
    if (time > last) last = time
  }
  return { first, last }
}

function runsOf(entries: readonly BlockEntry[]): StreamRuns {
  const streams: number[] = []
  const ends: number[] = []
  for (const [i, { stream }] of entries.entries()) {
    if (streams.at(-1) === stream) ends[ends.length - 1] = i + 1
    else {
      streams.push(stream)
      ends.push(i + 1)
    }
  }
  return { streams: Uint32Array.from(streams), ends: Uint32Array.from(ends) }
}
