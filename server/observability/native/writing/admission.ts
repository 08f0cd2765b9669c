import type { WriteLimits } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { GivenSamples } from '../format/samples.ts'
import type { Outcome } from './outcome.ts'
import type { SeriesTable, WrittenSeries } from './series-table.ts'

/** How far samples may lie in the future, and how far before the newest sample of their series, in milliseconds. */
const futureMs = 600_000
const lateMs = 3_600_000

/** Whether a sample is neither too far in the future nor too old. */
export const isInTime = (time: number, now: number, { retentionMs }: WriteLimits): boolean =>
  time <= now + futureMs && time >= now - retentionMs

const none: readonly number[] = []

/** What a decision about samples needs. */
export interface AdmissionParts {
  readonly samples: GivenSamples
  readonly limits: WriteLimits
  readonly now: number
  readonly table: SeriesTable
  /** Counts the refused samples, and those that are stored already. */
  readonly outcome: Outcome
  /** Takes samples between two positions, which are newer than all others of their series. */
  readonly take: (key: string, written: WrittenSeries, start: number, end: number) => void
}

/**
 * Decides which samples of a series between two positions are taken (observability.md, Ingest data plane), counts the
 * refused ones, and moves the newest sample of the series. Returns the positions of samples before the newest sample,
 * which the files may have already.
 */
export function admit(
  { limits, now, outcome, samples, table, take }: AdmissionParts,
  key: string,
  written: WrittenSeries,
  start: number,
  end: number,
): readonly number[] {
  const { bits, times } = samples
  let late: number[] | undefined
  let last = written.last
  // The beginning of the range of newer samples, and the positions of the first and the last newer sample; -1 without.
  let from = -1
  let first = -1
  let newest = -1
  for (let i = start; i < end; i += 1) {
    const time = times[i] ?? Number.NaN
    const isTimely = isInTime(time, now, limits)
    if (isTimely && time > last) {
      if (from < 0) from = i
      if (first < 0) first = i
      newest = i
      last = time
      continue
    }
    if (from >= 0) take(key, written, from, i)
    from = -1
    if (!isTimely) outcome.reject(time < now ? 'too_old' : 'future', key)
    else if (time < last - lateMs) outcome.reject('out_of_order', key)
    else if (time < last || (newest < 0 && !written.hasBits)) (late ??= []).push(i)
    else {
      const low = newest < 0 ? written.lastLow : bits[2 * newest]
      const high = newest < 0 ? written.lastHigh : bits[2 * newest + 1]
      if (low === bits[2 * i] && high === bits[2 * i + 1]) outcome.accept(1)
      else outcome.reject('duplicate', key)
    }
  }
  if (newest >= 0) table.advance(written, samples, first, newest)
  if (from >= 0) take(key, written, from, end)
  return late ?? none
}
