import { describe, expect, test } from 'vitest'
import { runInstantQuery, runRangeQuery } from '../../../../../domain/observability/promql/run-query.ts'
import { MemorySource, seriesOf, type TestSample } from './memory-source.ts'

const t0 = Date.UTC(2026, 0, 15, 8)
const minute = 60_000
const counter = seriesOf(
  { __name__: 'c_total', a: 'x' },
  Array.from({ length: 61 }, (_, i): TestSample => [t0 + i * minute, 60 * i]),
)
const source = new MemorySource([counter])
const never = () => false

const instant = (query: string, time: number) =>
  JSON.parse(runInstantQuery(source, { query, time, timeoutMs: 30_000, limit: 10_000 }, never).text)

describe('a counter that grows by 60 a minute', () => {
  test.each([
    ['c_total', '1800'],
    ['count_over_time(c_total[5m])', '5'],
    ['increase(c_total[5m])', '300'],
    ['rate(c_total[5m])', '1'],
  ])('%s is %s at a time of a sample', (query, value) => {
    expect(instant(query, t0 + 1800_000)).toMatchObject({
      result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR',
      vector: [{ time: '2026-01-15T08:30:00.000Z', value }],
      matrix: [],
    })
  })

  test('has the rate 1 at each step of a range', () => {
    const range = {
      query: 'rate(c_total[5m])',
      start: t0 + 600_000,
      end: t0 + 1200_000,
      step: 300_000,
      timeoutMs: 30_000,
    }
    const { text } = runRangeQuery(source, range, never)
    expect(JSON.parse(text)).toMatchObject({
      result_type: 'OBSERVABILITY_RESULT_TYPE_MATRIX',
      matrix: [
        {
          metric: { a: 'x' },
          points: [
            { time: '2026-01-15T08:10:00.000Z', value: '1' },
            { time: '2026-01-15T08:15:00.000Z', value: '1' },
            { time: '2026-01-15T08:20:00.000Z', value: '1' },
          ],
        },
      ],
      stats: { series: 1, samples: 15 },
    })
  })
})
