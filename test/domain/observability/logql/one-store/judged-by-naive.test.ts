import { describe, expect, it } from 'vitest'
import { seeded } from '../../../../areas/random.ts'
import { answerOf, end, pagesOf } from './answers.ts'
import { MemoryEntries } from './memory-entries.ts'
import { naiveEntries, naiveLabels, randomStreams } from './naive-entries.ts'
import { naiveLogQuery } from './naive-log-queries.ts'
import { naiveMetricQuery } from './naive-metric-queries.ts'
import { queryCount } from './query-count.ts'
import { timeText } from '../../../../../domain/observability/logql/nano-time.ts'

const start = end - 600_000_000_000n
const rounds = [...Array(10).keys()]
/** The queries of a round, of each kind. */
const perRound = Math.ceil(queryCount / rounds.length)

/** Numbers that differ by rounding alone are equal. */
const rounded = (value: number | string): string => Number(value).toPrecision(10)

describe('generated queries', () => {
  it.each(rounds)('answer the entries of a naive evaluator (round %i)', round => {
    const random = seeded(1000 + round)
    const streams = randomStreams(random)
    const source = new MemoryEntries(streams, { partSize: 4, overlaps: random.percent(50) })
    for (let i = 0; i < perRound; i += 1) {
      const query = naiveLogQuery(random, random.percent(20))
      const answer = answerOf(source, { query: query.text, start, end, limit: 1000 })
      const answered = answer.streams.flatMap(({ labels, entries }) => {
        const { __error_details__: _, ...rest } = labels
        return entries.map(({ line, time }) => [time, line, JSON.stringify(rest)].join(' '))
      })
      const expected = naiveEntries(streams, query, start, end - 1n).map(entry =>
        [timeText(entry.time), entry.line, naiveLabels(entry)].join(' '),
      )
      expect(answered.sort(), query.text).toEqual(expected.sort())
    }
  })

  it.each(rounds)('answer the values of a naive evaluator (round %i)', round => {
    const random = seeded(2000 + round)
    const streams = randomStreams(random)
    const source = new MemoryEntries(streams, { partSize: 4, overlaps: random.percent(50) })
    for (let i = 0; i < perRound; i += 1) {
      const query = naiveMetricQuery(random)
      const stepMs = random.oneOf([undefined, 45_000, 120_000])
      const times = stepMs === undefined ? [end] : gridOf(stepMs)
      const answer = answerOf(source, { query: query.text, start, end, ...(stepMs !== undefined && { stepMs }) })
      const series = [
        ...answer.matrix.flatMap(({ metric, points }) => points.map(point => ({ metric, ...point }))),
        ...answer.vector,
      ]
      const answered = series.map(({ metric, time, value }) => [
        Date.parse(time),
        JSON.stringify(metric),
        rounded(value),
      ])
      const expected = times.flatMap(time =>
        Array.from(query.at(streams, time), ([labels, value]) => [Number(time / 1_000_000n), labels, rounded(value)]),
      )
      const text = (rows: readonly (readonly unknown[])[]): readonly string[] => rows.map(row => row.join(' ')).sort()
      expect(text(answered), query.text).toEqual(text(expected))
    }
  })

  it('answer pages that together are the answer without pages', () => {
    const random = seeded(3000)
    const streams = randomStreams(random)
    const source = new MemoryEntries(streams, { partSize: 5, overlaps: true })
    for (const direction of ['FORWARD', 'BACKWARD'] as const) {
      const query = { query: '{app=~".+"} != "GET"', start, end, direction }
      const all = pagesOf(source, query, 1000)
      expect(all.length).toBeGreaterThan(20)
      expect(pagesOf(source, query, 7)).toEqual(all)
      expect(pagesOf(source, query, 1)).toEqual(all)
    }
  })
})

function gridOf(stepMs: number): readonly bigint[] {
  const times: bigint[] = []
  for (let time = start; time <= end; time += BigInt(stepMs) * 1_000_000n) times.push(time)
  return times
}
