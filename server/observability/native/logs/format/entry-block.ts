import { crc32 } from 'node:zlib'
import type { StoredEntry } from '../../../../../domain/observability/logql/entry-source.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import { logSeverityValues } from '../../../../../output/observability/types.ts'
import { hasChecksum, unchanged } from './checksums.ts'
import { decompress } from './compressed.ts'
import { MalformedBlock } from './malformed-block.ts'
import type { StreamRuns } from './stream-runs.ts'

/** The numbers before the columns of a block: version, number of entries, bytes of lines, and none. */
export const headerBytes = 16

/** The bytes of an entry in the columns. */
export const columnBytes = 8 + 8 + 4 + 4 + 1

/** A block as a file has it. */
export interface StoredBlock {
  /** The lowest ingest number of its entries. */
  readonly firstNumber: number
  readonly runs: StreamRuns
  /** The compressed columns, with a checksum that goes on from `checksumBeside`. Older blocks have none. */
  readonly entries: Uint8Array
  readonly details: Uint8Array
}

/** What entries have beside their lines, as JSON. */
type Details = readonly [traceId: string, spanId: string, metadata: Labels]

const noDetails: Details = ['', '', {}]

/** Entries of some streams, ordered by stream, time and ingest number. Members of entries are decoded when asked for. */
export class EntryBlock {
  readonly length: number
  readonly runs: StreamRuns
  /** The lines one after the other, in UTF-8. */
  readonly lines: Uint8Array
  /** The position after the last byte of each line. */
  readonly lineEnds: Uint32Array
  readonly #firstNumber: number
  readonly #times: BigInt64Array
  /** The low and the high half of each time. */
  readonly #halves: Uint32Array
  readonly #ingestTimes: Float64Array
  readonly #numbers: Uint32Array
  readonly #severities: Uint8Array
  readonly #stored: Uint8Array
  #details: { readonly ends: Uint32Array; readonly bytes: Uint8Array } | undefined

  /** Throws `MalformedBlock`. */
  constructor(stored: StoredBlock) {
    const { details, firstNumber, runs } = stored
    const bytes = decompress(unchangedEntries(stored))
    const [, length = 0, lineBytes = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4)
    if (bytes.length !== headerBytes + length * columnBytes + lineBytes || (runs.ends.at(-1) ?? 0) !== length)
      throw new MalformedBlock('has another length than its entries')
    const { buffer } = bytes
    let at = bytes.byteOffset + headerBytes
    const next = (size: number): number => {
      at += size * length
      return at - size * length
    }
    this.length = length
    this.runs = runs
    this.#firstNumber = firstNumber
    const timesAt = next(8)
    this.#times = new BigInt64Array(buffer, timesAt, length)
    this.#halves = new Uint32Array(buffer, timesAt, length * 2)
    this.#ingestTimes = new Float64Array(buffer, next(8), length)
    this.#numbers = new Uint32Array(buffer, next(4), length)
    this.lineEnds = new Uint32Array(buffer, next(4), length)
    this.#severities = new Uint8Array(buffer, next(1), length)
    this.lines = new Uint8Array(buffer, at, lineBytes)
    this.#stored = details
  }

  time(index: number): bigint {
    return this.#times[index] ?? 0n
  }

  number(index: number): number {
    return this.#firstNumber + (this.#numbers[index] ?? 0)
  }

  ingestTime(index: number): number {
    return this.#ingestTimes[index] ?? 0
  }

  /** Compares the times of an entry and of an entry of another block, without objects for the times. */
  compareTimes(index: number, other: EntryBlock, otherIndex: number): number {
    const high = (this.#halves[index * 2 + 1] ?? 0) - (other.#halves[otherIndex * 2 + 1] ?? 0)
    return high === 0 ? (this.#halves[index * 2] ?? 0) - (other.#halves[otherIndex * 2] ?? 0) : high
  }

  lineStart(index: number): number {
    return index === 0 ? 0 : (this.lineEnds[index - 1] ?? 0)
  }

  lineBytes(index: number): Uint8Array {
    return this.lines.subarray(this.lineStart(index), this.lineEnds[index])
  }

  line(index: number): string {
    const { buffer, byteOffset } = this.lines
    const start = this.lineStart(index)
    return Buffer.from(buffer, byteOffset + start, (this.lineEnds[index] ?? start) - start).toString('utf8')
  }

  severityNumber(index: number): number {
    return this.#severities[index] ?? 0
  }

  metadata(index: number): Labels {
    return this.#detailsOf(index)[2]
  }

  entry(index: number): StoredEntry {
    const [traceId, spanId, metadata] = this.#detailsOf(index)
    return {
      time: this.time(index),
      number: this.number(index),
      line: this.line(index),
      metadata,
      severity: logSeverityValues[this.severityNumber(index)] ?? 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
      traceId,
      spanId,
      ingestTime: this.ingestTime(index),
    }
  }

  /** Returns the details of an entry as they are stored; empty without details. */
  detailBytes(index: number): Uint8Array {
    const { bytes, ends } = (this.#details ??= this.#readDetails())
    return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index])
  }

  #detailsOf(index: number): Details {
    const bytes = this.detailBytes(index)
    if (bytes.length === 0) return noDetails
    // The writer has stored this form.
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as Details
  }

  #readDetails() {
    if (this.#stored.length === 0) return { ends: new Uint32Array(this.length), bytes: new Uint8Array(0) }
    const bytes = decompress(this.#stored)
    const start = 4 + this.length * 4
    const ends = new Uint32Array(bytes.buffer, bytes.byteOffset + 4, this.length)
    if (bytes.length !== start + (ends.at(-1) ?? 0)) throw new MalformedBlock('has details of other entries')
    return { ends, bytes: bytes.subarray(start) }
  }
}

/** Returns the checksum (CRC-32) of all that a block has beside its entries. */
export function checksumBeside({ details, firstNumber, runs }: Omit<StoredBlock, 'entries'>): number {
  const { ends, streams } = runs
  return crc32(ends, crc32(streams, crc32(Float64Array.of(firstNumber), crc32(details))))
}

/** Returns the columns of a block without their checksum. Throws `MalformedBlock` if any part of the block has changed. */
function unchangedEntries(stored: StoredBlock): Uint8Array {
  if (!hasChecksum(stored.entries)) return stored.entries
  const entries = unchanged(stored.entries, checksumBeside(stored))
  if (entries === undefined) throw new MalformedBlock('differs from its checksum')
  return entries
}

/** Returns the details of an entry in the form in which a block stores them; empty if the entry has none. */
export function detailText({
  metadata,
  spanId,
  traceId,
}: Pick<StoredEntry, 'metadata' | 'spanId' | 'traceId'>): string {
  if (traceId === '' && spanId === '' && Object.keys(metadata).length === 0) return ''
  const details: Details = [traceId, spanId, metadata]
  return JSON.stringify(details)
}
