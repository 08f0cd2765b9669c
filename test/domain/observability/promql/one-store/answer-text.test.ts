import { describe, expect, it } from 'vitest'
import { answerBytes, writeRows, writeSeries } from '../../../../../domain/observability/promql/answer-text.ts'
import { ByteWriter } from '../../../../../domain/observability/promql/byte-writer.ts'
import { LabelSet } from '../../../../../domain/observability/promql/evaluation/label-set.ts'
import { formatValue } from '../../../../../domain/observability/promql/format-value.ts'
import { seeded } from '../../../../areas/random.ts'

const noon = Date.UTC(2026, 10, 30, 12)
const notes = () => ({ warnings: ['a "warning" é'], series: 2, samples: 3, durationMs: 1.4 })

const answerOf = (write: (writer: ByteWriter) => void): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answerBytes({ type: 'MATRIX', write }, notes)))

const timeOf = (i: number) => new Date(noon + i * 1000).toISOString()

describe('the text of an answer', () => {
  it('has the points of each series, however often a value is repeated', () => {
    const random = seeded(7)
    const values = [0, -0, NaN, 1, 1e300, 1 / 3, Infinity, -Infinity, 1e-7]
    const all = Array.from({ length: 40 }, (_, i) => ({
      labels: LabelSet.of({ __name__: 'größe', pod: `"${i}"\n`, zone: 'ü'.repeat(i * 5) }),
      values: Float64Array.from({ length: 50 }, () => random.oneOf(random.percent(50) ? values : [0, -0, NaN])),
      has: Uint8Array.from({ length: 50 }, () => Number(random.percent(70))),
    }))
    const answer = answerOf(writer => writeRows(writer, all, { start: noon, step: 1000, count: 50 }))
    expect(answer).toEqual({
      result_type: 'OBSERVABILITY_RESULT_TYPE_MATRIX',
      vector: [],
      matrix: all.map(({ has, labels, values: given }) => ({
        metric: labels.toLabels(),
        points: [...given].flatMap((value, i) =>
          has[i] === 1 ? [{ time: timeOf(i), value: formatValue(value) }] : [],
        ),
      })),
      warnings: ['a "warning" é'],
      stats: { series: 2, samples: 3, duration_ms: 1 },
    })
  })

  it('has series of different times', () => {
    const labels = LabelSet.of({ a: '1' })
    const series = [
      { labels, times: Float64Array.of(noon, noon + 2000), values: Float64Array.of(5, 5) },
      { labels, times: Float64Array.of(), values: Float64Array.of() },
      { labels, times: Float64Array.of(noon + 1000), values: Float64Array.of(5) },
    ]
    expect(answerOf(writer => writeSeries(writer, series))).toMatchObject({
      matrix: [
        {
          points: [
            { time: timeOf(0), value: '5' },
            { time: timeOf(2), value: '5' },
          ],
        },
        { points: [] },
        { points: [{ time: timeOf(1), value: '5' }] },
      ],
    })
  })

  it('may be empty', () => {
    expect(answerOf(writer => writeRows(writer, [], { start: noon, step: 1000, count: 50 }))).toMatchObject({
      matrix: [],
    })
  })

  it('has at most 128 MiB', () => {
    const mib = new Uint8Array(2 ** 20)
    const full = (): ByteWriter => {
      const writer = new ByteWriter()
      for (let i = 0; i < 128; i += 1) writer.copy(mib, 0, mib.length)
      return writer
    }
    expect(full().finish().length).toBe(128 * mib.length)
    const writer = full()
    writer.writeAscii('x')
    expect(() => writer.finish()).toThrow(
      expect.objectContaining({ reason: 'QUERY_LIMIT_EXCEEDED', metadata: { limit: 'memory' } }),
    )
  })

  it('keeps the order of its bytes, however they are written', () => {
    const random = seeded(11)
    const writer = new ByteWriter()
    let expected = ''
    for (let i = 0; i < 400; i += 1) {
      const text = 'abcdefghij'.repeat(random.oneOf([0, 1, 12, 900, 7000])) + random.oneOf(['', 'x', 'yz'])
      const kind = random.oneOf(['write', 'ascii', 'copy'])
      if (kind === 'write') writer.write(`${text}ü`)
      else if (kind === 'ascii') writer.writeAscii(text)
      else writer.copy(Buffer.from(`-${text}-`), 1, text.length + 1)
      expected += kind === 'write' ? `${text}ü` : text
    }
    const bytes = writer.finish()
    expect(new TextDecoder().decode(bytes)).toBe(expected)
    expect(bytes.buffer.byteLength).toBe(bytes.length)
  })
})
