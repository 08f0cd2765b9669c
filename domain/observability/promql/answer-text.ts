import { ByteWriter } from './byte-writer.ts'
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

/** The result of a query: its type, and the writer of the JSON text of the member that holds it. */
export interface WrittenResult {
  readonly type: 'VECTOR' | 'MATRIX' | 'SCALAR' | 'STRING'
  readonly write: (writer: ByteWriter) => void
}

/** Returns the JSON text of a `MetricQueryResponse`. Throws QUERY_LIMIT_EXCEEDED for an answer that is too large. */
export function answerBytes({ type, write }: WrittenResult, notes: () => AnswerNotes): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter()
  writer.write(`{"result_type":"OBSERVABILITY_RESULT_TYPE_${type}"`)
  for (const member of ['vector', 'matrix', 'scalar', 'string']) {
    const isResult = member === type.toLowerCase()
    const isList = member === 'vector' || member === 'matrix'
    if (isResult || isList) writer.write(`,"${member}":`)
    if (isResult) write(writer)
    else if (isList) writer.write('[]')
  }
  const { durationMs, samples, series, warnings } = notes()
  const stats = `{"series":${series},"samples":${samples},"duration_ms":${Math.round(durationMs)}}`
  writer.write(`,"warnings":${JSON.stringify([...warnings])},"stats":${stats}}`)
  return writer.finish()
}

/** Writes the list of the elements of rows at the first time of their grid. */
export function writeVector(writer: ByteWriter, rows: readonly Row[], time: number): void {
  const end = `,"time":"${timeText(time)}","value":"`
  writeList(writer, rows, ({ labels, values }) => {
    writer.write(`{"metric":${labelsText(labels)}${end}${formatValue(values[0] ?? 0)}"}`)
  })
}

/** Writes the list of the series that rows are over a grid. */
export function writeRows(writer: ByteWriter, rows: readonly Row[], { count, start, step }: Grid): void {
  const points = new PointWriter(
    writer,
    Float64Array.from({ length: count }, (_, i) => start + i * step),
  )
  writeList(writer, rows, ({ labels, values, has }) => {
    writer.write(`{"metric":${labelsText(labels)},"points":[`)
    for (let i = 0; i < has.length; i += 1) if (has[i] === 1) points.write(i, values[i] ?? 0)
    points.end()
    writer.write(']}')
  })
}

/** Writes the list of the series of a range vector. */
export function writeSeries(writer: ByteWriter, all: readonly RangeSeries[]): void {
  writeList(writer, all, ({ labels, times, values }) => {
    writer.write(`{"metric":${labelsText(labels)},"points":[`)
    const points = new PointWriter(writer, times)
    for (let i = 0; i < times.length; i += 1) points.write(i, values[i] ?? 0)
    points.end()
    writer.write(']}')
  })
}

/** Returns the text of a value, or of a text, at a time. */
export const pointText = (time: number, value: string): string =>
  `{"time":"${timeText(time)}","value":${JSON.stringify(value)}}`

/** Writes the points of a list. A value that equals the value before is not formatted again. */
class PointWriter {
  readonly #writer: ByteWriter
  /** The bytes before the value of each point, and for each point the position after its bytes. */
  readonly #heads: Uint8Array
  readonly #ends: Uint32Array
  #value = Number.NaN
  #text = formatValue(Number.NaN)
  #isFirst = true

  constructor(writer: ByteWriter, times: Float64Array) {
    this.#writer = writer
    let heads = ''
    this.#ends = Uint32Array.from(times, time => {
      heads += `"},{"time":"${timeText(time)}","value":"`
      return heads.length
    })
    this.#heads = new TextEncoder().encode(heads)
  }

  /** Writes a value at the time with an index. */
  write(index: number, value: number): void {
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0)
    // The first point does not end one before.
    this.#writer.copy(this.#heads, this.#isFirst ? start + 3 : start, this.#ends[index] ?? start)
    if (!Object.is(value, this.#value)) this.#text = formatValue(value)
    this.#value = value
    this.#writer.writeAscii(this.#text)
    this.#isFirst = false
  }

  /** Ends the list; the next point is the first of another list. */
  end(): void {
    if (!this.#isFirst) this.#writer.write('"}')
    this.#isFirst = true
  }
}

function writeList<T>(writer: ByteWriter, items: readonly T[], write: (item: T) => void): void {
  let separator = '['
  for (const item of items) {
    writer.write(separator)
    write(item)
    separator = ','
  }
  writer.write(items.length === 0 ? '[]' : ']')
}

const timeText = (time: number): string => new Date(time).toISOString()

function labelsText({ pairs }: LabelSet): string {
  const members: string[] = []
  for (let i = 0; i < pairs.length; i += 2) members.push(`${JSON.stringify(pairs[i])}:${JSON.stringify(pairs[i + 1])}`)
  return `{${members.join(',')}}`
}
