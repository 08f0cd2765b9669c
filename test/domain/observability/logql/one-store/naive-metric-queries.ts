import type { Random } from '../../../../areas/random.ts'
import type { TestStream } from './memory-entries.ts'
import { naiveEntries } from './naive-entries.ts'
import { labelNames, quantityOf, type Quantity } from './naive-label-filters.ts'
import { naiveLogQuery } from './naive-log-queries.ts'
import type { NaiveEntry } from './naive-stage.ts'

/** The elements of a vector: their values by their labels, JSON in the order of names. */
export type NaiveVector = ReadonlyMap<string, number>

/** A metric query that a generator has made. */
export interface NaiveMetricQuery {
  readonly text: string
  /** Returns the elements at a time in nanoseconds since 1970. */
  at(streams: readonly TestStream[], time: bigint): NaiveVector
}

type Grouped = (labels: string) => string

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const variance = (values: readonly number[]): number => {
  const mean = sum(values) / values.length
  return sum(values.map(value => (value - mean) ** 2)) / values.length
}
function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const rank = q * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)] ?? NaN, sorted[Math.ceil(rank)] ?? NaN]
  return low + (high - low) * (rank - Math.floor(rank))
}

/** The functions of entries, given the length of the window in seconds. */
const ofEntries: Readonly<Record<string, (lines: readonly string[], seconds: number) => number>> = {
  count_over_time: lines => lines.length,
  rate: (lines, seconds) => lines.length / seconds,
  bytes_over_time: lines => lines.join('').length,
  bytes_rate: (lines, seconds) => lines.join('').length / seconds,
}

/** The functions of unwrapped values in the order of time. */
const ofValues: Readonly<Record<string, (values: readonly number[], seconds: number) => number>> = {
  rate: (values, seconds) => sum(values) / seconds,
  sum_over_time: sum,
  avg_over_time: values => sum(values) / values.length,
  min_over_time: values => Math.min(...values),
  max_over_time: values => Math.max(...values),
  first_over_time: values => values[0] ?? NaN,
  last_over_time: values => values.at(-1) ?? NaN,
  stddev_over_time: values => Math.sqrt(variance(values)),
  stdvar_over_time: variance,
  quantile_over_time: values => quantile(values, 0.75),
}

const windows: readonly (readonly [text: string, seconds: number])[] = [
  ['30s', 30],
  ['1m30s', 90],
  ['5m', 300],
]
const offsets: readonly (readonly [text: string, seconds: number])[] = [
  ['', 0],
  ['', 0],
  [' offset 1m', 60],
  [' offset -30s', -30],
]

const parsed = (labels: string): Record<string, string> => JSON.parse(labels) as Record<string, string>
const picked = (labels: Readonly<Record<string, string>>, keeps: (name: string) => boolean): string =>
  JSON.stringify(Object.fromEntries(Object.entries(labels).filter(([name, value]) => keeps(name) && value !== '')))

/** Makes a grouping: its text, and the labels of a group. */
function grouping(random: Random): { readonly text: string; readonly of: Grouped } {
  const names: readonly string[] = Array.from({ length: random.below(3) }, () => random.oneOf(labelNames))
  const isBy = random.percent(60)
  const text = `${isBy ? 'by' : 'without'} (${[...new Set(names)].join(', ')})`
  return { text, of: labels => picked(parsed(labels), name => names.includes(name) === isBy) }
}

const labelsOf = ({ labels }: NaiveEntry, without: readonly string[]): string => {
  const sorted = [...labels].sort(([one], [other]) => (one < other ? -1 : 1))
  return picked(Object.fromEntries(sorted), name => !without.includes(name))
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

const inTime = (one: NaiveEntry, other: NaiveEntry): number =>
  one.time === other.time ? one.number - other.number : one.time < other.time ? -1 : 1

const mapped = <T>(groups: ReadonlyMap<string, T>, map: (group: T) => number): NaiveVector =>
  new Map(Array.from(groups, ([labels, group]) => [labels, map(group)] as const))

function rangeQuery(random: Random): NaiveMetricQuery {
  const log = naiveLogQuery(random, true)
  const [[window, seconds], [offset, shift]] = [random.oneOf(windows), random.oneOf(offsets)]
  const between = (streams: readonly TestStream[], time: bigint): readonly NaiveEntry[] => {
    const to = time - BigInt(shift) * 1_000_000_000n
    return naiveEntries(streams, log, to - BigInt(seconds) * 1_000_000_000n + 1n, to).toSorted(inTime)
  }
  if (random.percent(50)) {
    const name = random.oneOf(Object.keys(ofEntries))
    const text = `${name}(${log.text} [${window}]${offset})`
    return {
      text,
      at: (streams, time) =>
        mapped(
          grouped(between(streams, time), entry => labelsOf(entry, [])),
          group =>
            ofEntries[name]?.(
              group.map(({ line }) => line),
              seconds,
            ) ?? NaN,
        ),
    }
  }
  return unwrapped(random, log.text, `[${window}]${offset}`, seconds, between)
}

function unwrapped(
  random: Random,
  log: string,
  range: string,
  seconds: number,
  between: (streams: readonly TestStream[], time: bigint) => readonly NaiveEntry[],
): NaiveMetricQuery {
  const name = random.oneOf(Object.keys(ofValues))
  const [label, kind] = random.oneOf<readonly [string, Quantity]>([
    ['status', 'number'],
    ['latency', 'duration'],
    ['size', 'bytes'],
  ])
  const conversion = kind === 'number' ? label : `${kind}(${label})`
  const group = !/^(?:rate|sum)/.test(name) && random.percent(40) ? grouping(random) : undefined
  const parameter = name === 'quantile_over_time' ? '0.75, ' : ''
  const text = `${name}(${parameter}${log} | unwrap ${conversion} | __error__="" ${range})`
  const valueOf = (entry: NaiveEntry): number | undefined => {
    const value = quantityOf(entry.labels.get(label) ?? '', kind)
    return value !== undefined && kind === 'duration' ? value / 1e9 : value
  }
  return {
    text: group === undefined ? text : `${text} ${group.text}`,
    at: (streams, time) => {
      const entries = between(streams, time).filter(entry => valueOf(entry) !== undefined)
      const isBy = group?.text.startsWith('by')
      const groups = grouped(entries, entry => {
        const labels = labelsOf(entry, isBy === true ? [] : [label])
        return group === undefined ? labels : group.of(labels)
      })
      return mapped(
        groups,
        each =>
          ofValues[name]?.(
            each.map(entry => valueOf(entry) ?? NaN),
            seconds,
          ) ?? NaN,
      )
    },
  }
}

const aggregations: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum,
  avg: values => sum(values) / values.length,
  min: values => Math.min(...values),
  max: values => Math.max(...values),
  count: values => values.length,
  stddev: values => Math.sqrt(variance(values)),
}

function aggregation(random: Random, inner: NaiveMetricQuery): NaiveMetricQuery {
  const name = random.oneOf(Object.keys(aggregations))
  const { text, of } = random.percent(30) ? { text: '', of: () => '{}' } : grouping(random)
  return {
    text: `${name} ${text} (${inner.text})`,
    at: (streams, time) => {
      const groups = grouped([...inner.at(streams, time)], ([labels]) => of(labels))
      return mapped(groups, group => aggregations[name]?.(group.map(([, value]) => value)) ?? NaN)
    },
  }
}

const arithmetic: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => (other === 0 ? NaN : one / other),
}

/** Combines a query with a number, or with the sum of another query on both sides' common labels `app`. */
function combination(random: Random, inner: NaiveMetricQuery): NaiveMetricQuery {
  const number = random.oneOf([2, 0, 0.5])
  const operator = random.oneOf(Object.keys(arithmetic))
  switch (random.below(4)) {
    case 0:
      return {
        text: `${inner.text} ${operator} ${number}`,
        at: (streams, time) => mapped(inner.at(streams, time), value => arithmetic[operator]?.(value, number) ?? NaN),
      }
    case 1:
      return {
        text: `${number} > bool ${inner.text}`,
        at: (streams, time) => mapped(inner.at(streams, time), value => (number > value ? 1 : 0)),
      }
    case 2:
      return {
        text: `${inner.text} > ${number}`,
        at: (streams, time) => new Map([...inner.at(streams, time)].filter(([, value]) => value > number)),
      }
    default: {
      const other = rangeQuery(random)
      const byApp = (vector: NaiveVector): ReadonlyMap<string, readonly (readonly [string, number])[]> =>
        grouped([...vector], ([labels]) => picked(parsed(labels), name => name === 'app'))
      return {
        text: `sum by (app) (${inner.text}) ${operator} sum by (app) (${other.text})`,
        at: (streams, time) => {
          const total = (query: NaiveMetricQuery): NaiveVector =>
            mapped(byApp(query.at(streams, time)), group => sum(group.map(([, value]) => value)))
          const [left, right] = [total(inner), total(other)]
          const common = [...left].flatMap(([labels, value]) => {
            const match = right.get(labels)
            return match === undefined ? [] : [[labels, arithmetic[operator]?.(value, match) ?? NaN] as const]
          })
          return new Map(common)
        },
      }
    }
  }
}

/** Makes a metric query of up to three parts, one in the other. */
export function naiveMetricQuery(random: Random): NaiveMetricQuery {
  let query = rangeQuery(random)
  if (random.percent(50)) query = aggregation(random, query)
  return random.percent(40) ? combination(random, query) : query
}
