import type {
  EntryPart,
  EntryRun,
  EntrySelection,
  EntrySource,
  StoredEntry,
} from '../../../../../domain/observability/logql/entry-source.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'

/** A stream of a test. */
export interface TestStream {
  readonly labels: Labels
  /** In the order of times and numbers. */
  readonly entries: readonly StoredEntry[]
}

/** Makes an entry without metadata, severity and trace. */
export const entryOf = (time: bigint, number: number, line: string, more: Partial<StoredEntry> = {}): StoredEntry => ({
  time,
  number,
  line,
  metadata: {},
  severity: 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
  traceId: '',
  spanId: '',
  ingestTime: Number(time / 1_000_000n),
  ...more,
})

/**
 * The entries of a workspace in memory. Each stream comes in parts of a few entries; with `overlaps` the parts of a stream
 * overlap in time and come in the wrong order. It counts the parts and the lines that were read.
 */
export class MemoryEntries implements EntrySource {
  partsRead = 0
  linesRead = 0
  readonly #streams: readonly TestStream[]
  readonly #partSize: number
  readonly #overlaps: boolean

  constructor(streams: readonly TestStream[], { partSize = 3, overlaps = false } = {}) {
    this.#streams = streams
    this.#partSize = partSize
    this.#overlaps = overlaps
  }

  select({ matchers, from, before, charge }: EntrySelection): readonly EntryPart[] {
    const selected = this.#streams.filter(({ labels }) =>
      matchers.every(({ name, test }) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '')),
    )
    return selected.flatMap(({ labels, entries }) => {
      const inRange = entries.filter(({ time }) => time >= from && time < before)
      const parts = this.#cut(inRange)
      return parts.flatMap(part => {
        const [first, last] = [part[0], part.at(-1)]
        if (first === undefined || last === undefined) return []
        const read = (): EntryRun => {
          charge(
            part.length,
            part.reduce((bytes, { line }) => bytes + Buffer.byteLength(line), 0),
          )
          this.partsRead += 1
          return this.#run(part)
        }
        return [{ labels, first: first.time, last: last.time, read }]
      })
    })
  }

  #cut(entries: readonly StoredEntry[]): readonly (readonly StoredEntry[])[] {
    const count = Math.ceil(entries.length / this.#partSize)
    if (!this.#overlaps) {
      return Array.from({ length: count }, (_, i) => entries.slice(i * this.#partSize, (i + 1) * this.#partSize))
    }
    return Array.from({ length: count }, (_, i) => entries.filter((__, index) => index % count === count - 1 - i))
  }

  #run(entries: readonly StoredEntry[]): EntryRun {
    const at = (index: number): StoredEntry => {
      const entry = entries[index]
      if (entry === undefined) throw new RangeError(`a run has no entry ${index}`)
      return entry
    }
    return {
      length: entries.length,
      time: index => at(index).time,
      number: index => at(index).number,
      line: index => {
        this.linesRead += 1
        return at(index).line
      },
      metadata: index => at(index).metadata,
      entry: at,
    }
  }
}
