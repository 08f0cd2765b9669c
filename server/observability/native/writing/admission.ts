import type { WriteLimits } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { Series } from '../../../../domain/observability/metrics/samples.ts'
import type { Outcome } from './outcome.ts'
import type { SeriesTable, WrittenSeries } from './series-table.ts'

/** How far samples may lie in the future, and how far before the newest sample of their series, in milliseconds. */
const futureMs = 600_000
const lateMs = 3_600_000

/** Whether a sample is neither too far in the future nor too old. */
export const isInTime = (time: number, now: number, { retentionMs }: WriteLimits): boolean =>
  time <= now + futureMs && time >= now - retentionMs

/** The decision about the samples of a series. */
export interface Admission {
  /** The ranges of positions of samples that are newer than all before. */
  readonly newer: readonly (readonly [start: number, end: number])[]
  /** The positions of samples before the newest sample, which the files may have already. */
  readonly late: readonly number[]
}

/**
 * Decides which samples of a series are taken (observability.md, Ingest data plane), counts the refused ones, and moves
 * the newest sample of the series.
 */
export function admit(
  { labels, times, values }: Series,
  written: WrittenSeries,
  table: SeriesTable,
  now: number,
  limits: WriteLimits,
  outcome: Outcome,
): Admission {
  const newer: [start: number, end: number][] = []
  const late: number[] = []
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i] ?? Number.NaN
    if (!isInTime(time, now, limits)) outcome.reject(time < now ? 'too_old' : 'future', labels)
    else if (time > written.last) {
      const range = newer[newer.length - 1]
      if (range?.[1] === i) range[1] = i + 1
      else newer.push([i, i + 1])
      table.advance(written, { times, values }, i)
    } else if (time < written.last - lateMs) outcome.reject('out_of_order', labels)
    else if (time < written.last || written.lastBits === undefined) late.push(i)
    else if (written.lastBits[0] === halves[2 * i] && written.lastBits[1] === halves[2 * i + 1]) outcome.accept(1)
    else outcome.reject('duplicate', labels)
  }
  return { newer, late }
}
