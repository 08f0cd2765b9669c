import type { Labels, Series } from '../../../../../domain/observability/metrics/samples.ts'
import type { Random } from '../../../../areas/random.ts'
import { seriesOf, type TestSample } from './memory-source.ts'

/** The first time of the generated samples, in milliseconds since 1970; a full hour. */
export const firstTime = Date.UTC(2026, 0, 15, 8)
/** The length of time in which the samples lie, in milliseconds. */
export const timeSpan = 2 * 3_600_000

/** How a generated series behaves. */
interface Shape {
  /** The mean distance of its samples in milliseconds. */
  readonly interval: number
  /** The next value after a value. */
  readonly next: (value: number, random: Random) => number
  /** The chance in percent that a sample is missing, and of a stale mark before such a gap. */
  readonly gaps?: number
  readonly stale?: number
}

const counter: Shape = {
  interval: 15_000,
  gaps: 3,
  next: (value, random) => (random.percent(2) ? random.below(5) : value + random.below(40)),
}
const gauge: Shape = {
  interval: 15_000,
  gaps: 5,
  stale: 30,
  next: (value, random) => value + (random.below(2001) - 1000) / 7,
}
const odd: Shape = {
  interval: 20_000,
  next: (_, random) => random.oneOf([NaN, Infinity, -Infinity, 0, -0, 1, -1.5, 1e300, 1e-300, 3, 3, 7]),
}
const switched: Shape = { interval: 30_000, gaps: 2, stale: 50, next: (_, random) => random.below(3) }
const constant: Shape = { interval: 30_000, next: () => 1 }
const sparse: Shape = { interval: 240_000, gaps: 20, next: (value, random) => value + random.below(100) }

/** Makes series with counters that reset, gauges, histograms, gaps, stale marks, NaN and infinite values. */
export function generatedSeries(random: Random): readonly Series[] {
  const series: Series[] = []
  const add = (shape: Shape, labels: Labels): void => void series.push(generated(shape, labels, random))
  for (const job of ['api', 'db']) {
    for (const instance of ['0', '1', '2']) {
      for (const code of ['200', '500']) add(counter, { __name__: 'requests_total', job, instance, code })
      add(gauge, { __name__: 'temperature', job, instance })
      add(switched, { __name__: 'up', job, instance })
      add(constant, { __name__: 'build_info', job, instance, version: `v${random.below(3)}` })
    }
    add(sparse, { __name__: 'sparse_total', job })
    add(odd, { __name__: 'odd', job })
    series.push(...histogram(job, random))
  }
  add(gauge, { __name__: 'lonely' })
  add(gauge, { __name__: 'mixed', instance: '0' })
  add(gauge, { __name__: 'mixed', instance: '1', job: 'api', zone: 'é😀' })
  return series
}

function generated({ interval, next, gaps = 0, stale = 0 }: Shape, labels: Labels, random: Random): Series {
  const samples: TestSample[] = []
  let value = random.below(100)
  let time = firstTime + random.below(interval)
  while (time < firstTime + timeSpan) {
    value = next(value, random)
    if (random.percent(gaps)) {
      if (random.percent(stale)) samples.push([time, 'stale'])
      time += interval * (1 + random.below(30))
    } else {
      samples.push([time, value])
      time += interval + random.below(interval / 10) - Math.floor(interval / 20)
    }
  }
  return seriesOf(labels, samples)
}

/** Makes the series of a classic histogram, whose buckets are counted at the same times. */
function histogram(job: string, random: Random): Series[] {
  const bounds = ['0.1', '0.5', '1', '2.5', '10', '+Inf']
  const counts = bounds.map(() => 0)
  const times = Array.from({ length: timeSpan / 15_000 }, (_, i) => firstTime + i * 15_000 + 3)
  const rows = times.map(() => {
    const first = random.below(bounds.length)
    for (let i = first; i < bounds.length; i += 1) counts[i] = (counts[i] ?? 0) + 1 + random.below(2)
    return [...counts]
  })
  const samples = (of: (row: readonly number[]) => number) =>
    times.map((time, i): TestSample => [time, of(rows[i] ?? [])])
  return [
    ...bounds.map((le, i) =>
      seriesOf(
        { __name__: 'latency_bucket', job, le },
        samples(row => row[i] ?? 0),
      ),
    ),
    seriesOf(
      { __name__: 'latency_count', job },
      samples(row => row.at(-1) ?? 0),
    ),
    seriesOf(
      { __name__: 'latency_sum', job },
      samples(row => (row.at(-1) ?? 0) * 0.7),
    ),
  ]
}
