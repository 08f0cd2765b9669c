import { describe, expect, it } from 'vitest'
import { parseQuery, parseSelector, selectorsOf } from '../../../../../domain/observability/promql/language/parse.ts'
import { ApiError } from '../../../../../runtime/errors.ts'

/** Returns the reason and the metadata of the error of a query. */
function faultOf(query: string): { readonly reason: string; readonly metadata: object } {
  try {
    parseQuery(query)
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.reason, metadata: error.metadata }
    throw error
  }
  return { reason: 'none', metadata: {} }
}

const malformed: readonly (readonly [query: string, position: number])[] = [
  ['', 0],
  ['up{', 3],
  ['up{job="api"', 12],
  ['sum(', 4],
  ['rate(up[5m', 10],
  ['foo bar', 4],
  ['"open', 0],
  ["up{job='\\q'}", 7],
  ['up{job="\\xff\\u12"}', 7],
  ['up{job=~"("}', 8],
  ['{}', 0],
  ['{job=""}', 0],
  ['{job=~".*"}', 0],
  ['up{"down"}', 0],
  ['up{__name__="down"}', 0],
  ['up offset 1h offset 2h', 13],
  ['up @ Inf', 5],
  ['up[0s]', 3],
  ['up[1000y]', 3],
  ['1e999', 0],
  ['2atan2 3', 0],
  ['atan2 - up', 0],
  ['sum by (without) (up)', 8],
]

const wrong = [
  'rate(up)',
  'sum(up[5m])',
  'sum(1)',
  'abs("a")',
  'abs()',
  'time(1)',
  'round(up, 1, 2)',
  'label_join(up, "a")',
  'label_join(up, "")',
  'label_replace(up, "a", "b", "c", "(")',
  'topk(up)',
  'topk("a", up)',
  'count_values(1, up)',
  'count_values("", up)',
  'quantile(0.5, 1)',
  'up[5m][5m:]',
  '1[5m]',
  '(up)[5m]',
  '1[5m:]',
  '-up[5m]',
  '-"a"',
  'up + "a"',
  'up[5m] + 1',
  '1 == 2',
  '1 + bool 2',
  'up and 1',
  '1 or 2',
  'up and on(a) group_left down',
  'up + on(a) 1',
  'up * on(a) group_left(a) down',
  '1 offset 5m',
  '(up) offset 5m',
  'sum(up) @ 5',
]

const unsupported: readonly (readonly [query: string, feature: string, position: number])[] = [
  ['limitk(1, up)', 'limitk', 0],
  ['1 + limit_ratio(0.5, up)', 'limit_ratio', 4],
  ['info(up)', 'info', 0],
  ['histogram_avg(up)', 'histogram_avg', 0],
  ['double_exponential_smoothing(up[5m], 0.5, 0.5)', 'double_exponential_smoothing', 0],
  ['rate(up[5m] smoothed)', 'smoothed', 5],
  ['rate(up[5m] anchored)', 'anchored', 5],
  ['up + fill(0) down', 'fill', 5],
  ['up[5m + 3m]', 'duration expressions', 3],
  ['up offset -step()', 'duration expressions', 11],
  ['up >/ 3', 'native histograms', 3],
]

describe('a query', () => {
  it.each(malformed)('%j is malformed at position %i', (query, position) => {
    expect(faultOf(query)).toEqual({
      reason: 'QUERY_SYNTAX_INVALID',
      metadata: { position: String(position), language: 'PROMQL' },
    })
  })

  it.each(wrong)('%s has a wrong type', query => {
    expect(faultOf(query).reason).toBe('QUERY_TYPE_INVALID')
  })

  it.each(unsupported)('%s uses %s, at position %i', (query, feature, position) => {
    expect(faultOf(query)).toEqual({
      reason: 'QUERY_FEATURE_UNSUPPORTED',
      metadata: { feature, position: String(position) },
    })
  })

  it.each([
    '('.repeat(32_000),
    `${'abs('.repeat(600)}up${')'.repeat(600)}`,
    `1${'+1'.repeat(8000)}`,
    '-'.repeat(16_000),
  ])('of deep nesting is refused without a walk through all of it', query => {
    expect(['QUERY_LIMIT_EXCEEDED', 'QUERY_SYNTAX_INVALID']).toContain(faultOf(query).reason)
  })

  it.each([
    ['1 + 2', 'scalar'],
    ['"text"', 'string'],
    ['up[5m]', 'matrix'],
    ['sum(up)[5m:1m]', 'matrix'],
    ['1 + up', 'vector'],
    ['vector(1)', 'vector'],
    ['scalar(up) + 1', 'scalar'],
    ['-(-1)', 'scalar'],
    ['up == bool 1', 'vector'],
  ])('%s gives a %s', (query, type) => {
    expect(parseQuery(query).type).toBe(type)
  })

  it('has the selectors of all its parts', () => {
    const { expression } = parseQuery(
      'sum(rate(a[5m])) / on() topk(scalar(b), c offset 5m) or -absent_over_time({"d e"}[5m:])',
    )
    const names = selectorsOf(expression).map(({ matchers }) => matchers.map(({ value }) => value))
    expect(names).toEqual([['a'], ['b'], ['c'], ['d e']])
  })
})

describe('a text', () => {
  it.each([
    ['"a\\n\\"\\x41\\101\\u00e9\\U0001F600"', 'a\n"AAé😀'],
    ['"\\xc3\\xa9"', 'é'],
    ["'it\\'s'", "it's"],
    ['`\\n"\'`', '\\n"\''],
    ['"tab\\t\\\\"', 'tab\t\\'],
  ])('%s is read with its escapes', (query, value) => {
    expect(parseQuery(query).expression).toMatchObject({ kind: 'string', value })
  })
})

describe('a series selector', () => {
  it.each([
    ['up{job="api",code=~"2..|3..",zone!="a",env!~"x.*"}', { job: 'api', code: '204', zone: 'b' }, true],
    ['up{code=~"2.."}', { code: '2044' }, false],
    ['up{code=~"2|3"}', { code: '3' }, true],
    ['up{code=~"2|3"}', { code: '23' }, false],
    ['up{zone=""}', {}, true],
    ['up{zone!~".+"}', { zone: 'a' }, false],
    ['up{text=~"a.b"}', { text: 'a\nb' }, true],
    ['{__name__=~"u.",job!=""}', { job: 'x' }, true],
    ['{"up", "a.b"="c"}', { 'a.b': 'c' }, true],
  ])('%s is tested on labels', (text, labels: Record<string, string>, fits) => {
    const series: Record<string, string> = { __name__: 'up', ...labels }
    expect(parseSelector(text, 'match').every(({ name, test }) => test(series[name] ?? ''))).toBe(fits)
  })

  it.each(['up offset 5m', 'up @ 5', 'rate(up[5m])', '1'])('must not be %s', text => {
    expect(() => parseSelector(text, 'match')).toThrow(/a series selector without modifiers is expected/)
  })
})
