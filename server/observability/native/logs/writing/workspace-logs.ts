import type { LogBatch, NewEntry } from '../../../../../domain/observability/logs/log-batch.ts'
import type { LogLimits, LogWriteResult } from '../../../../../domain/observability/logs/log-engine.ts'
import { logSeverityValues } from '../../../../../output/observability/types.ts'
import { dayOf, type SignalPlaces } from '../../files/places.ts'
import type { FileFault } from '../../files/telemetry-file.ts'
import { labelKey } from '../../format/label-key.ts'
import { StreamIndex } from '../files/stream-index.ts'
import type { BlockEntry } from '../format/block-builder.ts'
import { detailText } from '../format/entry-block.ts'
import { EntryOutcome } from './entry-outcome.ts'
import { LogDays } from './log-days.ts'
import { partsOf, streamChanges } from './parts.ts'

/** How far entries may lie in the future, in milliseconds. */
const futureMs = 600_000

/** The largest number of streams of a workspace, whatever its limit is. */
const mostStreams = 200_000

/** The bytes of entries after which a write commits what waits, so that memory has a bound. */
const mostWaiting = 32 * 1024 * 1024

/** The nanoseconds of a millisecond. */
const nanos = 1_000_000n

/**
 * The logs of one workspace, as the writer holds them. `write` collects entries, and `commit` gives them ingest numbers
 * and writes them. After an error of either, the object does not know what is on the disk, and must be replaced.
 */
export class WorkspaceLogs {
  readonly places: SignalPlaces
  readonly index: StreamIndex
  readonly days: LogDays
  readonly #streams: Map<string, number>
  #nextId: number
  #newStreams: (readonly [key: string, id: number])[] = []
  readonly #pending = new Map<number, BlockEntry[]>()
  #waiting = 0
  #lastNumber: number

  /** The folders must exist. `report` gets the faults of files of days that cannot be used. */
  constructor(places: SignalPlaces, report: (fault: FileFault) => void) {
    this.places = places
    this.index = new StreamIndex(places.index)
    this.days = new LogDays(places, report)
    this.#streams = this.index.streams()
    this.#nextId = this.index.nextId()
    this.#lastNumber = Math.max(this.index.lastNumber, this.days.lastNumber())
  }

  /** The ingest number of the last entry that was committed. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** The number of streams. */
  get streamCount(): number {
    return this.#streams.size
  }

  /** Opens the files of the days of a batch, so that a file that cannot be used refuses the batch before it is written. */
  prepare({ streams }: LogBatch, limits: LogLimits, now: number): void {
    for (const { entries } of streams)
      for (const entry of entries) {
        const time = Number(timeOf(entry, now) / nanos)
        if (isInTime(time, now, limits)) this.days.open(dayOf(time))
      }
  }

  /** Takes entries, which are on the disk after the next `commit`; returns their outcome but for the last number. */
  write(batch: LogBatch, limits: LogLimits, now: number): Omit<LogWriteResult, 'lastNumber'> {
    const outcome = new EntryOutcome(batch)
    for (const { entries, labels } of batch.streams) {
      const stream = this.#streamOf(labelKey(labels), limits)
      for (const entry of entries) {
        const line = Buffer.from(entry.line, 'utf8')
        const time = timeOf(entry, now)
        const ms = Number(time / nanos)
        if (stream === undefined) outcome.reject('stream_limit', line.length)
        else if (!isInTime(ms, now, limits)) outcome.reject(ms < now ? 'too_old' : 'future', line.length)
        else {
          this.#add(dayOf(ms), stream, time, entry, line, now)
          outcome.accept(line.length)
        }
      }
      if (this.#waiting >= mostWaiting) this.commit()
    }
    return outcome.result()
  }

  /** Writes what waits; it is on the disk at the return. */
  commit(): void {
    if (this.#newStreams.length > 0) this.index.add(this.#newStreams)
    this.#newStreams = []
    for (const [day, entries] of this.#pending) {
      let number = this.#lastNumber
      const numbered = entries.map(entry => ({ ...entry, number: (number += 1) }))
      this.days.open(day).append(partsOf(numbered), streamChanges(numbered))
      this.#lastNumber = number
    }
    this.#pending.clear()
    this.#waiting = 0
  }

  /** Deletes the streams without entries. Everything must be committed. */
  deleteEmptyStreams(): void {
    const left = this.days.streams()
    const gone = [...this.#streams].filter(([, id]) => !left.has(id))
    if (gone.length === 0) return
    this.index.delete(gone.map(([, id]) => id))
    for (const [key] of gone) this.#streams.delete(key)
  }

  /** Returns the labels of all streams as `labelKey` returns them, with their ids. */
  streams(): Iterable<readonly [key: string, id: number]> {
    return this.#streams
  }

  close(): void {
    this.days.closeAll()
    this.index.close()
  }

  /** Returns the id of a stream, which may be new; undefined if a new one would exceed a limit. */
  #streamOf(key: string, { logStreams }: LogLimits): number | undefined {
    const known = this.#streams.get(key)
    if (known !== undefined) return known
    const { size } = this.#streams
    if (size >= mostStreams || (logStreams >= 0 && size >= logStreams)) return undefined
    const id = this.#nextId
    this.#nextId += 1
    this.#streams.set(key, id)
    this.#newStreams.push([key, id])
    return id
  }

  #add(day: number, stream: number, time: bigint, entry: NewEntry, line: Uint8Array, now: number): void {
    const pending = this.#pending.get(day) ?? []
    if (pending.length === 0) this.#pending.set(day, pending)
    const detail = Buffer.from(detailText(entry), 'utf8')
    const severity = logSeverityValues.indexOf(entry.severity)
    pending.push({ stream, time, number: 0, ingestTime: now, severity, line, detail })
    this.#waiting += line.length + detail.length
  }
}

const timeOf = ({ time }: NewEntry, now: number): bigint => time ?? BigInt(Math.floor(now)) * nanos

/** Whether an entry is neither too far in the future nor too old. */
const isInTime = (time: number, now: number, { retentionMs }: LogLimits): boolean =>
  time <= now + futureMs && time >= now - retentionMs
