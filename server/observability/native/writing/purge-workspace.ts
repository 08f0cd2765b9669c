import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RetainedBytes, TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { dayMs, namesIn } from '../files/places.ts'
import { FileFault } from '../files/telemetry-file.ts'
import { labelsOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import { compactWhole } from './compaction.ts'
import type { EndedSeries, WorkspaceWriter } from './workspace-writer.ts'

/** The number of series that one step reads or deletes: a step takes some milliseconds. */
const seriesOfStep = 500

/** What a purge works with. */
export interface PurgeParts {
  /** The writer of the workspace, which nobody closes before the end of the purge. */
  readonly writer: WorkspaceWriter
  readonly retention: TelemetryRetention
  readonly now: number
  /** Writes what waits in the writer. */
  readonly commit: () => void
  /** Takes the faults of files of days, which are left out. */
  readonly report: (fault: FileFault) => void
}

/** A series with the number of its policy, -1 for the default, and its retention. */
interface PurgedSeries extends EndedSeries {
  readonly last: number
  readonly policy: number
  readonly keptMs: number
}

/** The result of the purge of a workspace without metrics. */
export const nothingKept = ({ selected }: TelemetryRetention): RetainedBytes => ({
  total: 0,
  selected: selected.map(() => 0),
})

/**
 * Deletes the samples of the days that lie wholly before the retention of their series, and the series without newer
 * samples. Each step leaves the files whole, so that writes may happen in between, and that a purge that ends between two
 * steps can be done again.
 */
export function* purgeWorkspace(parts: PurgeParts): Generator<void, RetainedBytes> {
  const { commit, now, report, retention: given, writer } = parts
  const retention = new SeriesRetention(given)
  yield* writer.storingTimes(commit)
  const series = yield* seriesOf(parts, retention)
  for (const day of writer.places.days()) {
    yield
    const ageMs = now - (day + 1) * dayMs
    try {
      if (ageMs > retention.longestMs) writer.days.remove(day)
      else if (ageMs > retention.shortestMs) {
        const ended = series.filter(({ keptMs }) => ageMs > keptMs)
        yield* purgeDay(parts, day, ended)
      }
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
  }
  const gone = series.filter(({ last, since }) => last < since)
  for (let at = 0; at < gone.length; at += seriesOfStep) {
    writer.deleteSeries(gone.slice(at, at + seriesOfStep))
    yield
  }
  const policies = new Map(series.filter(({ policy }) => policy >= 0).map(({ id, policy }) => [id, policy]))
  const selected = given.selected.map(() => 0)
  if (policies.size > 0) yield* addBytes(selected, parts, policies)
  return { total: bytesIn(writer.places.folder), selected }
}

/** Returns the series of the index with their retention. */
function* seriesOf({ now, writer }: PurgeParts, retention: SeriesRetention): Generator<void, readonly PurgedSeries[]> {
  const all: PurgedSeries[] = []
  for (let from = 0; ; yield) {
    const page = writer.index.after(from, seriesOfStep)
    for (const { id, key, last } of page) {
      const policy = yield* retention.policySearch(labelsOfKey(key))
      const keptMs = retention.ofPolicy(policy)
      all.push({ id, last, policy, keptMs, since: now - keptMs })
      from = id
    }
    if (page.length < seriesOfStep) return all
  }
}

/** Deletes the samples of series from the file of a day. */
function* purgeDay({ commit, writer }: PurgeParts, day: number, series: readonly EndedSeries[]): Generator<void> {
  const file = writer.days.open(day)
  yield* compactWhole(file, () => writer.storingTimes(commit))
  for (let at = 0; at < series.length; at += seriesOfStep) {
    file.deleteSeries(series.slice(at, at + seriesOfStep).map(({ id }) => id))
    yield
  }
  if (file.isEmpty()) return writer.days.remove(day)
  while (!file.shrink()) yield
}

/**
 * Adds the bytes of the chunks of series to the sums of their policies; `policies` has the number of each series.
 * Samples of the last minutes lie in no chunk.
 */
function* addBytes(
  sums: number[],
  { report, writer: { days, places } }: PurgeParts,
  policies: ReadonlyMap<number, number>,
): Generator<void> {
  for (const day of places.days()) {
    try {
      for (let from = 0; ; yield) {
        const page = days.open(day).bytesOfSeries(from, seriesOfStep)
        for (const [series, bytes] of page) {
          const policy = policies.get(series)
          if (policy !== undefined) sums[policy] = (sums[policy] ?? 0) + bytes
          from = series
        }
        if (page.length < seriesOfStep) break
      }
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
    days.closeIdle(day)
  }
}

/** Returns the sizes of the files in a folder together. */
export function bytesIn(folder: string): number {
  let sum = 0
  for (const name of namesIn(folder)) sum += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return sum
}
