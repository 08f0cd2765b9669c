import type { Series } from '../../../../../domain/observability/metrics/samples.ts'
import { StaleMarks } from '../../../../../domain/observability/metrics/samples.ts'
import { runInstantQuery, runRangeQuery } from '../../../../../domain/observability/promql/run-query.ts'
import type { SampleSource } from '../../../../../domain/observability/promql/sample-source.ts'
import { ApiError } from '../../../../../runtime/errors.ts'

/** A query at one time (`step` = 0) or over a range; times in milliseconds since 1970. */
export interface JudgedQuery {
  readonly query: string
  readonly start: number
  readonly end: number
  readonly step: number
}

/** The answer to a query in a form that all engines share: points by the labels of their elements, or an error. */
export interface JudgedAnswer {
  readonly error?: string
  readonly elements: readonly JudgedElement[]
}

interface JudgedElement {
  readonly labels: Readonly<Record<string, string>> | null
  readonly points: readonly { readonly time: number; readonly value: string }[]
}

/** Answers a query with the evaluator; errors of the area become texts, and other errors are thrown. */
export function ownAnswer(source: SampleSource, { query, start, end, step }: JudgedQuery): JudgedAnswer {
  const timeoutMs = 30_000
  try {
    const { text } =
      step === 0
        ? runInstantQuery(source, { query, time: start, timeoutMs, limit: 10_000 }, () => false)
        : runRangeQuery(source, { query, start, end, step, timeoutMs }, () => false)
    return { elements: elementsOf(JSON.parse(text)) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: error.message, elements: [] }
  }
}

interface AnsweredPoint {
  readonly time: string
  readonly value: string
}

interface Answered {
  readonly vector: readonly ({ readonly metric: Record<string, string> } & AnsweredPoint)[]
  readonly matrix: readonly { readonly metric: Record<string, string>; readonly points: readonly AnsweredPoint[] }[]
  readonly scalar?: AnsweredPoint
  readonly string?: AnsweredPoint
}

function elementsOf({ vector, matrix, scalar, string }: Answered): JudgedElement[] {
  const points = (all: readonly AnsweredPoint[]) => all.map(({ time, value }) => ({ time: Date.parse(time), value }))
  const single = scalar ?? string
  if (single !== undefined) return [{ labels: {}, points: points([single]) }]
  return [
    ...vector.map(({ metric, ...point }) => ({ labels: metric, points: points([point]) })),
    ...matrix.map(each => ({ labels: each.metric, points: points(each.points) })),
  ]
}

/** Returns how two answers differ: empty if the errors, the elements and the points are those of the other answer. */
export function difference(own: JudgedAnswer, judge: JudgedAnswer): string {
  if ((own.error === undefined) !== (judge.error === undefined)) {
    return `error ${own.error ?? 'none'}, expected ${judge.error ?? 'none'}`
  }
  if (own.error !== undefined) return ''
  const [ours, theirs] = [byLabels(own), byLabels(judge)]
  const keys = new Set([...ours.keys(), ...theirs.keys()])
  for (const key of keys) {
    const [one, other] = [ours.get(key), theirs.get(key)]
    if (one === undefined || other === undefined) return `${key} is ${one === undefined ? 'missing' : 'unexpected'}`
    const fault = differentPoints(one, other)
    if (fault !== '') return `${key}: ${fault}`
  }
  return ''
}

type Points = ReadonlyMap<number, string>

const byLabels = ({ elements }: JudgedAnswer): ReadonlyMap<string, Points> =>
  new Map(
    elements
      .filter(({ points }) => points.length > 0)
      .map(({ labels, points }) => [
        JSON.stringify(Object.entries(labels ?? {}).sort()),
        new Map(points.map(({ time, value }) => [time, value])),
      ]),
  )

function differentPoints(own: Points, judge: Points): string {
  for (const time of new Set([...own.keys(), ...judge.keys()])) {
    const [one, other] = [own.get(time), judge.get(time)]
    if (one === undefined || other === undefined || !isClose(numberOf(one), numberOf(other))) {
      return `${one ?? 'absent'} at ${time}, expected ${other ?? 'absent'}`
    }
  }
  return ''
}

const numberOf = (text: string): number => Number(text.replace('Inf', 'Infinity'))

/** Whether two numbers agree to a billionth of the larger one, or of 1. */
const isClose = (one: number, other: number): boolean =>
  Object.is(one + 0, other + 0) || Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))

/** Returns series in the form that the judge in Go reads. */
export const judgedSeries = (all: readonly Series[]) =>
  all.map(({ labels, times, values }) => {
    const stale = new StaleMarks(values)
    const texts = Array.from(values, (value, i) => (stale.has(i) ? 'stale' : goNumber(value)))
    return { labels, times: [...times], values: texts }
  })

const goNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value).replace('Infinity', 'Inf'))
