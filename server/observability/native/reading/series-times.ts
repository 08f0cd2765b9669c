import { dayOf } from '../files/places.ts'
import type { KnownSeries } from './series-catalog.ts'
import type { WorkspaceReader } from './workspace-reader.ts'

/** The times of the first and the newest sample of a series. */
export type FirstAndLast = readonly [first: number, last: number]

/** Returns the series with samples that the retention has not ended, and their times. */
export function keptSeries(reader: WorkspaceReader, now: number): ReadonlyMap<KnownSeries, FirstAndLast> {
  const times = reader.times()
  const since = now - reader.retention.longestMs
  for (const day of reader.days(dayOf(Math.max(since, 0)), Infinity)) {
    for (const { ends, ids, times: sampled } of day.parts(since - 1, Infinity)) {
      for (const [i, id] of ids.entries()) {
        const first = sampled[i === 0 ? 0 : (ends[i - 1] ?? 0)] ?? 0
        const last = sampled[(ends[i] ?? 0) - 1] ?? 0
        const known = times.get(id)
        if (known === undefined) continue
        if (first < known[0]) known[0] = first
        if (last > known[1]) known[1] = last
      }
    }
  }
  const kept = new Map<KnownSeries, FirstAndLast>()
  for (const series of reader.catalog.series) {
    const own = times.get(series.id)
    if (own && own[1] >= now - reader.retention.of(series.labels)) kept.set(series, own)
  }
  return kept
}
