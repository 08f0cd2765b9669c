import { describe, expect, it } from 'vitest'
import { answerOf, end, linesOf, pagesOf, resultOf, vectorOf } from './answers.ts'
import { entryOf, MemoryEntries } from './memory-entries.ts'
import { failureOf } from './failure-of.ts'

const second = 1_000_000_000n

/** The lines of the scenario of the area, and one second between them; the last one is a second before the end. */
const lines = ['{"status":500,"msg":"error a"}', '{"status":200,"msg":"error b"}', '{"status":503,"msg":"ok"}']
const api = {
  labels: { service_name: 'api', env: 'dev' },
  entries: lines.map((line, index) => entryOf(end - second * BigInt(lines.length - index), index + 1, line)),
}
const source = new MemoryEntries([api], { partSize: 2 })

describe('a log query', () => {
  it('answers the entries that pass its pipeline, with the labels that parsers made', () => {
    const answer = answerOf(source, { query: '{service_name="api"} |= "error" | json | status >= 500' })
    expect(answer).toMatchObject({ result_type: 'OBSERVABILITY_RESULT_TYPE_STREAMS', matrix: [], vector: [] })
    expect(answer.streams).toEqual([
      {
        labels: { env: 'dev', msg: 'error a', service_name: 'api', status: '500' },
        entries: [
          {
            time: '2026-05-28T20:26:37.000000000Z',
            line: lines[0],
            metadata: {},
            severity: 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
            trace_id: '',
            span_id: '',
            ingest_time: '2026-05-28T20:26:37.000Z',
          },
        ],
      },
    ])
  })

  it('counts what it scans', () => {
    const { stats } = answerOf(source, { query: '{service_name="api"} |= "absent"' })
    expect(stats).toMatchObject({ entries_scanned: 3, bytes_scanned: lines.join('').length })
  })

  it('begins with the newest entry, or with the oldest', () => {
    expect(linesOf(source, '{env="dev"}')).toEqual(lines.toReversed())
    const { streams } = answerOf(source, { query: '{env="dev"}', direction: 'FORWARD' })
    expect(streams[0]?.entries.map(({ line }) => line)).toEqual(lines)
  })

  it('reads from the start on and before the end, to the nanosecond', () => {
    const [first, , last] = api.entries.map(({ time }) => time)
    const linesBetween = (from: bigint, before: bigint): number =>
      answerOf(source, { query: '{env="dev"}', start: from, end: before }).streams.flatMap(({ entries }) => entries)
        .length
    expect(linesBetween(first ?? 0n, last ?? 0n)).toBe(2)
    expect(linesBetween((first ?? 0n) + 1n, (last ?? 0n) + 1n)).toBe(2)
  })

  it('reads no part beyond a full page', () => {
    const parts = new MemoryEntries([api], { partSize: 1 })
    resultOf(parts, { query: '{env="dev"}', limit: 1 })
    expect(parts.partsRead).toBe(1)
  })

  it('ends a page before its limit when the lines are large', () => {
    const large = Array.from({ length: 80 }, (_, i) => entryOf(end - BigInt(i + 1), 80 - i, 'x'.repeat(262_144)))
    const many = new MemoryEntries([{ labels: { a: 'b' }, entries: large.toReversed() }])
    const { next } = resultOf(many, { query: '{a="b"}', limit: 5000 })
    expect(next).toEqual({ time: end - 64n, number: 17 })
    expect(pagesOf(many, { query: '{a="b"}' }, 5000).length).toBe(80)
  })

  it('shows severity, trace and span as labels to stages, and not as labels of the answer', () => {
    const severe = entryOf(end - 1n, 9, 'x', {
      severity: 'OBSERVABILITY_LOG_SEVERITY_ERROR',
      traceId: 'ab',
      spanId: 'c',
    })
    const mixed = new MemoryEntries([{ labels: { a: 'b' }, entries: [entryOf(end - 2n, 8, 'y'), severe] }])
    const query = '{a="b"} | severity="ERROR" | trace_id="ab" | line_format "{{.span_id}}"'
    const { streams } = answerOf(mixed, { query })
    expect(streams).toMatchObject([{ labels: { a: 'b' }, entries: [{ line: 'c', trace_id: 'ab', metadata: {} }] }])
    expect(Object.keys(streams[0]?.labels ?? {})).toEqual(['a'])
    expect(vectorOf(mixed, 'sum by (severity) (count_over_time({a="b"}[1m]))')).toEqual({
      '{}': '1',
      '{"severity":"ERROR"}': '1',
    })
    expect(vectorOf(mixed, 'max by (severity) (count_over_time({a="b"}[1m]))')).toEqual({
      '{}': '1',
      '{"severity":"ERROR"}': '1',
    })
    expect(vectorOf(mixed, 'count_over_time({a="b"}[1m])')).toEqual({ '{"a":"b"}': '2' })
  })
})

describe('a metric query', () => {
  it('counts entries at the end of its range', () => {
    expect(answerOf(source, { query: 'sum(count_over_time({service_name="api"}[5m]))' })).toMatchObject({
      result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR',
      vector: [{ metric: {}, time: '2026-05-28T20:26:40.000Z', value: '3' }],
    })
  })

  it('has windows that begin after their start and include their end, to the nanosecond', () => {
    const [first, , last] = api.entries.map(({ time }) => time)
    const count = (at: bigint, range: string): string | undefined =>
      answerOf(source, { query: `count_over_time({env="dev"}[${range}])`, end: at }).vector[0]?.value
    expect(count(last ?? 0n, '2s')).toBe('2')
    expect(count((last ?? 0n) - 1n, '2s')).toBe('2')
    expect(count((first ?? 0n) + 2n * second - 1n, '2001ms')).toBe('2')
    expect(count((first ?? 0n) - 1n, '1h')).toBe(undefined)
  })

  it('answers a matrix with a step', () => {
    const query = 'count_over_time({env="dev"}[2s])'
    const { matrix, result_type: type } = answerOf(source, { query, start: end - 4n * second, end, stepMs: 1000 })
    expect(type).toBe('OBSERVABILITY_RESULT_TYPE_MATRIX')
    expect(matrix[0]?.points.map(({ value }) => value)).toEqual(['1', '2', '2', '1'])
  })

  it('fails if a pipeline fails, unless a filter leaves such entries out or the query groups by the error', () => {
    const broken = new MemoryEntries([
      { labels: { a: 'b' }, entries: [entryOf(end - 1n, 1, 'x'), entryOf(end - 1n, 2, '{}')] },
    ])
    expect(failureOf(() => vectorOf(broken, 'count_over_time({a="b"} | json [1m])'))).toMatchObject({
      reason: 'QUERY_EXECUTION_FAILED',
    })
    expect(vectorOf(broken, 'count_over_time({a="b"} | json | __error__="" [1m])')).toEqual({ '{"a":"b"}': '1' })
    expect(vectorOf(broken, 'sum(count_over_time({a="b"} | json [1m]))')).toEqual({ '{}': '2' })
    const grouped = vectorOf(broken, 'sum by (__error__) (count_over_time({a="b"} | json [1m]))')
    expect(grouped).toEqual({ '{"__error__":"JSONParserErr"}': '1', '{}': '1' })
  })
})
