import type { WriteLimits, WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import type { MetricMetadata } from '../../../../domain/observability/metrics/samples.ts'
import { IndexFile, type IndexedSeries } from '../files/index-file.ts'
import { dayOf, type MetricPlaces } from '../files/places.ts'
import type { FileFault } from '../files/telemetry-file.ts'
import { PendingSamples } from '../format/pending-samples.ts'
import { given, type GivenSamples } from '../format/samples.ts'
import { admit, isInTime, type AdmissionParts } from './admission.ts'
import { compareLate } from './late-samples.ts'
import { OpenDays } from './open-days.ts'
import { Outcome } from './outcome.ts'
import { SeriesTable, WrittenSeries } from './series-table.ts'

/** Series with a sample since then are known without a look into the index, in milliseconds before now. */
const knownMs = 2 * 3_600_000

/** The largest number of metrics of a workspace about which senders can say something. */
const mostMetadata = 20_000

/** The number of samples after which a write commits what waits, so that memory has a bound. */
const mostWaiting = 500_000

/** The number of series whose times one step stores: a step takes some milliseconds. */
const touchedInStep = 1000

/** The largest number of series in memory. */
const mostKnown = 500_000

/**
 * The metrics of one workspace, as the writer holds them. `write` collects samples, and `commit` writes them. After an
 * error of either, the object does not know what is on the disk, and must be replaced.
 */
export class WorkspaceWriter {
  readonly places: MetricPlaces
  readonly index: IndexFile
  readonly days: OpenDays
  readonly #table = new SeriesTable()
  readonly #pending = new Map<number, PendingSamples>()
  readonly #metadata: Map<string, MetricMetadata>
  #waiting = 0
  #newSeries: { readonly key: string; readonly series: WrittenSeries }[] = []
  #newMetadata: MetricMetadata[] = []
  #nextId: number

  /** The folders must exist. `report` gets the faults of files of days that cannot be used. */
  constructor(places: MetricPlaces, now: number, report: (fault: FileFault) => void) {
    this.places = places
    this.index = new IndexFile(places.index)
    this.days = new OpenDays(places, report)
    this.#nextId = this.index.nextId()
    this.#metadata = new Map(this.index.metadata().map(each => [each.name, each]))
    const left = this.days.timesInParts()
    if (left.length > 0) this.index.touch(left)
    for (const each of this.index.newerThan(now - knownMs)) this.#know(each)
  }

  activeSeries(now: number): number {
    return this.#table.activeCount(now)
  }

  /** Opens the files of the days of a batch, so that a file that cannot be used refuses the batch before it is written. */
  prepare({ times }: MetricBatch, limits: WriteLimits, now: number): void {
    let last = Number.NaN
    for (let i = 0; i < times.length; i += 1) {
      const time = times[i] ?? Number.NaN
      const day = dayOf(time)
      if (day === last || !isInTime(time, now, limits)) continue
      this.days.open(day)
      last = day
    }
  }

  /** Takes samples, which are on the disk after the next `commit`. */
  write(batch: MetricBatch, limits: WriteLimits, now: number): WriteResult {
    const { ends, keys, message, metadata, rejections } = batch
    const outcome = new Outcome(rejections, message)
    const samples = given(batch)
    const take = (key: string, written: WrittenSeries, start: number, end: number): void => {
      if (written.id === 0) this.#enlist(key, written)
      this.#add(written.id, samples, start, end)
      outcome.accept(end - start)
    }
    const parts = { samples, limits, now, table: this.#table, outcome, take }
    const late: LateSamples[] = []
    let start = 0
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] ?? ''
      const end = ends[i] ?? start
      const positions = this.#writeNewer(parts, key, start, end)
      if (positions.length > 0) late.push({ key, positions })
      if (this.#waiting >= mostWaiting) this.commit(now)
      start = end
    }
    if (late.length > 0) this.#writeLate(samples, late, now, outcome)
    for (const each of metadata) this.#describe(each)
    return outcome.result()
  }

  /** Writes what waits; it is on the disk at the return. */
  commit(now: number): void {
    if (this.#newSeries.length > 0 || this.#newMetadata.length > 0) {
      const series = this.#newSeries.map(({ key, series: { first, id, last } }) => ({ id, key, first, last }))
      this.index.add(series, this.#newMetadata)
      this.#newSeries = []
      this.#newMetadata = []
    }
    for (const [day, samples] of this.#pending) this.days.open(day).append(samples.toPart(), now)
    this.#pending.clear()
    this.#waiting = 0
  }

  /** Stores the times of the series that have changed until now, in steps; `commit` writes what waits before each step. */
  *storingTimes(commit: () => void): Generator<void> {
    const changed = [...this.#table.values()].filter(({ isChanged }) => isChanged)
    for (let at = 0; at < changed.length; at += touchedInStep) {
      commit()
      const batch = changed.slice(at, at + touchedInStep)
      this.index.touch(batch)
      for (const series of batch) series.isChanged = false
      yield
    }
  }

  /** Forgets series that are not active, so that memory has a bound; the index knows them. */
  forgetInactive(now: number): void {
    this.#table.forgetInactive(now)
  }

  /** Deletes series whose samples are deleted, unless they have got newer samples since. */
  deleteSeries(ended: readonly EndedSeries[]): void {
    const since = new Map(ended.map(each => [each.id, each.since]))
    for (const { id, last } of this.#table.values()) if (last >= (since.get(id) ?? Infinity)) since.delete(id)
    this.index.delete([...since.keys()])
    this.#table.forget(new Set(since.keys()))
  }

  close(): void {
    this.days.closeAll()
    this.index.close()
  }

  /** Takes the samples of a series that are newer than its others; returns the positions of the samples that may be late. */
  #writeNewer(parts: AdmissionParts, key: string, start: number, end: number): readonly number[] {
    const { limits, now, outcome } = parts
    const written = this.#seriesOf(key, limits, now)
    if (written === undefined) {
      outcome.reject('series_limit', key, end - start)
      return []
    }
    return admit(parts, key, written, start, end)
  }

  /** Takes the samples before the newest sample of their series, unless the files have other values at their times. */
  #writeLate(samples: GivenSamples, late: readonly LateSamples[], now: number, outcome: Outcome): void {
    // The samples that wait must be in the files, where they are looked up.
    this.commit(now)
    const { times } = samples
    for (const { key, positions } of late) {
      const written = this.#table.get(key)
      if (written === undefined) continue
      const first = times[positions[0] ?? 0] ?? 0
      const last = times[positions[positions.length - 1] ?? 0] ?? 0
      const stored = this.days.samplesOf(written.id, first - 1, last)
      const { absent, equal } = compareLate(samples, positions, stored)
      for (const at of absent) {
        this.#add(written.id, samples, at, at + 1)
        written.first = Math.min(written.first, times[at] ?? 0)
        written.isChanged = true
      }
      outcome.accept(absent.length + equal)
      const different = positions.length - absent.length - equal
      if (different > 0) outcome.reject('duplicate', key, different)
    }
  }

  #know({ first, id, key, last }: IndexedSeries): WrittenSeries {
    const series = new WrittenSeries(id, first, last)
    this.#table.addIndexed(key, series)
    return series
  }

  /** Returns the series of a key, which may be new; undefined if a new one would exceed the limit. */
  #seriesOf(key: string, { activeSeries }: WriteLimits, now: number): WrittenSeries | undefined {
    const written = this.#table.get(key)
    if (written !== undefined && this.#table.isActive(written, now)) return written
    if (activeSeries >= 0 && this.#table.activeCount(now) >= activeSeries) return undefined
    if (written !== undefined) return written
    if (this.#table.size >= mostKnown) return undefined
    const indexed = this.index.find(key)
    return indexed === undefined ? new WrittenSeries(0, Infinity, -Infinity) : this.#know(indexed)
  }

  /** Gives a new series its id. */
  #enlist(key: string, series: WrittenSeries): void {
    series.id = this.#nextId
    this.#nextId += 1
    this.#table.addNew(key, series)
    this.#newSeries.push({ key, series })
  }

  /** Adds samples between two positions to those of their days. */
  #add(id: number, samples: GivenSamples, start: number, end: number): void {
    let from = start
    while (from < end) {
      const day = dayOf(samples.times[from] ?? 0)
      let to = from + 1
      while (to < end && dayOf(samples.times[to] ?? 0) === day) to += 1
      let pending = this.#pending.get(day)
      if (pending === undefined) this.#pending.set(day, (pending = new PendingSamples()))
      pending.add(id, samples, from, to)
      from = to
    }
    this.#waiting += end - start
  }

  #describe(given: MetricMetadata): void {
    const known = this.#metadata.get(given.name)
    const isKnown = known?.type === given.type && known.unit === given.unit && known.description === given.description
    if (isKnown || (known === undefined && this.#metadata.size >= mostMetadata)) return
    this.#metadata.set(given.name, given)
    this.#newMetadata.push(given)
  }
}

/** A series whose samples are older than a time. */
export interface EndedSeries {
  readonly id: number
  readonly since: number
}

/** Samples of a series that are not newer than its newest sample. */
interface LateSamples {
  readonly key: string
  /** The positions of these samples in the batch, ascending. */
  readonly positions: readonly number[]
}
