import { describe, expect, it } from 'vitest'
import { runAlertQuery, runInstantQuery, runRangeQuery } from '../../../../../domain/observability/promql/run-query.ts'
import type { SampleSource } from '../../../../../domain/observability/promql/sample-source.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { seeded } from '../../../../areas/random.ts'
import { difference, ownAnswer, type JudgedAnswer } from './answers.ts'
import { QueryGenerator } from './generated-queries.ts'
import { firstTime, generatedSeries } from './generated-series.ts'
import { mutated, queryCount } from './judged-queries.ts'
import { MemorySource, seriesOf } from './memory-source.ts'

const random = seeded(7)
const source = new MemorySource(generatedSeries(random))
const generator = new QueryGenerator(random, { common: false })
const never = () => false

/** Returns the reason of the error of a query at one time; 'none' without an error. */
function reasonOf(query: string, from: SampleSource = source, timeoutMs = 30_000, isAborted = never): string {
  try {
    runInstantQuery(from, { query, time: firstTime + 3_600_000, timeoutMs, limit: 10_000 }, isAborted)
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
  return 'none'
}

describe('a query over a range', () => {
  it('gives at each step the answer to the query at that time', () => {
    const differences: object[] = []
    for (let i = 0; i < queryCount; i += 1) {
      // The whole query has another start and end, and so do the elements that are chosen among equal ones.
      const query = generator
        .query()
        .replaceAll(/ @ (?:start|end)\(\)/g, '')
        .replaceAll(/\bsort(?:_desc)?\(/g, 'abs(')
      const start = firstTime + random.below(7000) * 1000
      const step = random.oneOf([15_000, 61_000])
      const range = ownAnswer(source, { query, start, end: start + 5 * step, step })
      if (range.error !== undefined) continue
      for (let time = start; time <= start + 5 * step; time += step) {
        const fault = difference(at(range, time), ownAnswer(source, { query, start: time, end: time, step: 0 }))
        if (fault !== '') differences.push({ query, start, time, fault })
      }
    }
    expect(differences).toEqual([])
  })

  it('reads the samples of a selector once', () => {
    const series = seriesOf(
      { __name__: 'a' },
      Array.from({ length: 100 }, (_, i) => [firstTime + i * 1000, i] as const),
    )
    const query = { query: 'rate(a[1m]) / rate(a[1m])', start: firstTime + 50_000, end: firstTime + 99_000, step: 1000 }
    const { text } = runRangeQuery(new MemorySource([series]), { ...query, timeoutMs: 1000 }, never)
    expect(JSON.parse(text).stats).toMatchObject({ series: 1, samples: 100 })
  })
})

/** Returns the part of an answer at one time. */
const at = ({ elements }: JudgedAnswer, time: number): JudgedAnswer => ({
  elements: elements.map(({ labels, points }) => ({ labels, points: points.filter(point => point.time === time) })),
})

describe('hostile queries', () => {
  it('end soon, with a result or with a documented error', () => {
    const reasons = new Set<string>()
    for (let i = 0; i < queryCount * 10; i += 1) reasons.add(reasonOf(mutated(generator.query(), random)))
    const documented = [
      'none',
      'SYNTAX_INVALID',
      'TYPE_INVALID',
      'FEATURE_UNSUPPORTED',
      'EXECUTION_FAILED',
      'LIMIT_EXCEEDED',
    ]
    const allowed = documented.map(reason => (reason === 'none' ? reason : `QUERY_${reason}`))
    expect([...reasons].filter(reason => !allowed.includes(reason))).toEqual([])
    expect(reasons.size).toBeGreaterThan(4)
  })

  it.each([
    'absent(up{a="b"}[1y:1ms])',
    'max_over_time(vector(1)[1y:1ms])',
    'sum_over_time(sum_over_time(vector(1)[30d:1s])[30d:1s])',
  ])('%s does not evaluate billions of steps', query => {
    expect(['QUERY_LIMIT_EXCEEDED', 'QUERY_TYPE_INVALID']).toContain(reasonOf(query))
  })
})

describe('the limits of a query', () => {
  const many = Array.from({ length: 10_001 }, (_, i) => {
    return seriesOf({ __name__: 'many', i: String(i) }, [[firstTime + 3_600_000, i]])
  })

  it('end it after its timeout, and when it is aborted', () => {
    expect(reasonOf('sum_over_time(vector(1)[10d:1s])', source, 0)).toBe('QUERY_TIMEOUT')
    expect(reasonOf('sum_over_time(vector(1)[10d:1s])', source, 30_000, () => true)).toBe('QUERY_TIMEOUT')
  })

  it('stop the loading of samples', () => {
    const endless: SampleSource = {
      select({ charge }) {
        for (;;) charge(100_000)
      },
    }
    expect(reasonOf('up', endless)).toBe('QUERY_LIMIT_EXCEEDED')
  })

  it('allow 10,000 series in an answer, and fewer if the caller says so', () => {
    expect(reasonOf('many', new MemorySource(many))).toBe('QUERY_LIMIT_EXCEEDED')
    expect(reasonOf('sum(many)', new MemorySource(many))).toBe('none')
    const query = { query: 'many', time: firstTime + 3_600_000, timeoutMs: 30_000, limit: 3 }
    const answer = JSON.parse(runInstantQuery(new MemorySource(many), query, never).text)
    expect(answer.vector).toHaveLength(3)
    expect(answer.warnings).toEqual(['the result has 10001 series, of which the first 3 are answered'])
  })
})

describe('the query of an alert rule', () => {
  const time = firstTime + 3_600_000
  const alert = (query: string) => runAlertQuery(source, { query, time, timeoutMs: 30_000 }, never)

  it('gives elements with their labels, and tells whether a selector has matched', () => {
    expect(alert('build_info{job="api",instance="0"} == 1')).toMatchObject({
      elements: [{ labels: { __name__: 'build_info', job: 'api', instance: '0' }, value: 1 }],
      hasData: true,
    })
    expect(alert('build_info == 0')).toEqual({ elements: [], hasData: true })
    expect(alert('rate(build_info[5m]) > 0')).toEqual({ elements: [], hasData: true })
    expect(alert('nothing == 0')).toEqual({ elements: [], hasData: false })
    expect(alert('absent(nothing)')).toMatchObject({ elements: [{ labels: {}, value: 1 }], hasData: false })
  })

  it('takes an instant vector alone', () => {
    expect(() => alert('1')).toThrow(/takes an instant vector/)
  })
})
