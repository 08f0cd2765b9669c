import type { Series } from '../../../../domain/observability/metrics/samples.ts'
import type { SampleSource, Selection } from '../../../../domain/observability/promql/sample-source.ts'
import { dayOf } from '../files/places.ts'
import { mergeSamples, samplesBetween, type Samples } from '../format/samples.ts'
import type { DayReader } from './day-reader.ts'
import { PartSamples } from './part-samples.ts'
import type { KnownSeries } from './series-catalog.ts'
import type { WorkspaceReader } from './workspace-reader.ts'

/** The samples of a workspace in its files. Samples that are older than the retention of their series are left out. */
export class FileSource implements SampleSource {
  readonly #reader: WorkspaceReader
  readonly #now: number

  constructor(reader: WorkspaceReader, now: number) {
    this.#reader = reader
    this.#now = now
  }

  select({ after, charge, matchers, to }: Selection): readonly Series[] {
    return this.samplesOf(this.#reader.catalog.matching(matchers), after, to, charge)
  }

  /** Returns the samples of given series, in the order of ids; those without samples are left out. */
  samplesOf(given: readonly KnownSeries[], after: number, to: number, charge: Selection['charge']): readonly Series[] {
    const start = Math.max(after, this.#now - this.#reader.retention.longestMs - 1)
    if (given.length === 0 || start >= to) return []
    const days = this.#reader
      .days(dayOf(start), dayOf(to))
      .map(reader => ({ reader, inParts: new PartSamples(reader.parts(start, to), given) }))
    const found: Series[] = []
    for (const [i, { id, labels }] of given.entries()) {
      const from = Math.max(after, this.#now - this.#reader.retention.of(labels) - 1)
      const lists = days.flatMap(({ inParts, reader }) => listsOf(reader, id, inParts.of(i), from, to, charge))
      const { times, values } = samplesBetween(mergeSamples(lists), from, to)
      if (times.length > 0) found.push({ labels, times, values })
    }
    return found
  }
}

function listsOf(
  reader: DayReader,
  id: number,
  inParts: Samples,
  after: number,
  to: number,
  charge: Selection['charge'],
): readonly Samples[] {
  const chunks = reader.chunks(id, after, to)
  const partSamples = samplesBetween(inParts, after, to)
  charge(partSamples.times.length + reader.countIn(chunks))
  return [...reader.samplesOf(chunks).map(samples => samplesBetween(samples, after, to)), partSamples]
}
