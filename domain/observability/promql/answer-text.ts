import { formatValue } from './format-value.ts'
import type { LabelSet } from './evaluation/label-set.ts'
import type { Grid, RangeSeries, Row } from './evaluation/vectors.ts'

/** The members of an answer beside the result of a query. */
export interface AnswerNotes {
  readonly warnings: Iterable<string>
  /** The series and the samples that were read. */
  readonly series: number
  readonly samples: number
  readonly durationMs: number
}

/** The result of a query: its type, and the JSON text of the member that holds it. */
export interface ResultText {
  readonly type: 'VECTOR' | 'MATRIX' | 'SCALAR' | 'STRING'
  readonly text: string
}

/** Writes the JSON text of a `MetricQueryResponse`. */
export function answerText({ type, text }: ResultText, { warnings, series, samples, durationMs }: AnswerNotes): string {
  const vector = type === 'VECTOR' ? text : '[]'
  const matrix = type === 'MATRIX' ? text : '[]'
  const single = type === 'SCALAR' ? `,"scalar":${text}` : type === 'STRING' ? `,"string":${text}` : ''
  const stats = `{"series":${series},"samples":${samples},"duration_ms":${Math.round(durationMs)}}`
  return [
    `{"result_type":"OBSERVABILITY_RESULT_TYPE_${type}","vector":${vector},"matrix":${matrix}${single}`,
    `,"warnings":${JSON.stringify([...warnings])},"stats":${stats}}`,
  ].join('')
}

/** Writes the list of the elements of rows at the first time of their grid. */
export function vectorText(rows: readonly Row[], time: number): string {
  const end = `,"time":"${timeText(time)}","value":"`
  const elements = rows.map(
    ({ labels, values }) => `{"metric":${labelsText(labels)}${end}${formatValue(values[0] ?? 0)}"}`,
  )
  return `[${elements.join(',')}]`
}

/** Writes the list of the series that rows are over a grid. */
export function rowsText(rows: readonly Row[], grid: Grid): string {
  const starts = Array.from(
    { length: grid.count },
    (_, i) => `{"time":"${timeText(grid.start + i * grid.step)}","value":"`,
  )
  const series = rows.map(({ labels, values, has }) => {
    const points: string[] = []
    for (let i = 0; i < has.length; i += 1)
      if (has[i] === 1) points.push(`${starts[i]}${formatValue(values[i] ?? 0)}"}`)
    return `{"metric":${labelsText(labels)},"points":[${points.join(',')}]}`
  })
  return `[${series.join(',')}]`
}

/** Writes the list of the series of a range vector. */
export function seriesText(all: readonly RangeSeries[]): string {
  const series = all.map(({ labels, times, values }) => {
    const points = Array.from(times, (time, i) => pointText(time, formatValue(values[i] ?? 0)))
    return `{"metric":${labelsText(labels)},"points":[${points.join(',')}]}`
  })
  return `[${series.join(',')}]`
}

/** Writes a value, or a text, at a time. */
export const pointText = (time: number, value: string): string =>
  `{"time":"${timeText(time)}","value":${JSON.stringify(value)}}`

const timeText = (time: number): string => new Date(time).toISOString()

function labelsText({ pairs }: LabelSet): string {
  const members: string[] = []
  for (let i = 0; i < pairs.length; i += 2) members.push(`${JSON.stringify(pairs[i])}:${JSON.stringify(pairs[i + 1])}`)
  return `{${members.join(',')}}`
}
