import { describe, expect, it } from 'vitest'
import {
  parseLogQuery,
  parseMetricQuery,
  parseQuery,
  parseStreamSelector,
} from '../../../../../domain/observability/logql/language/parse.ts'
import { seeded } from '../../../../areas/random.ts'
import { failureOf } from './failure-of.ts'
import { queryCount } from './query-count.ts'
import { naiveLogQuery } from './naive-log-queries.ts'
import { naiveMetricQuery } from './naive-metric-queries.ts'

const malformed: readonly (readonly [query: string, position: number])[] = [
  ['', 0],
  ['{service_name="api"', 19],
  ['{a="b"', 6],
  ['{a=}', 3],
  ['{a="b"} |', 9],
  ['{a="b"} | nothing', 17],
  ['{a="b"} |= error', 11],
  ['{a="b"} |~ "("', 11],
  ['{a=~"("}', 4],
  ['{a="\\q"}', 3],
  ['{a="b"} | regexp "(.*)"', 17],
  ['{a="b"} | pattern "no capture"', 18],
  ['{a="b"} | pattern "<x><y>"', 18],
  ['{a="b"} | pattern "<x> <x>"', 18],
  ['{a="b"} | json x="a..b"', 17],
  ['{a="b"} | logfmt x="a b"', 19],
  ['{a="b"} | line_format "{{.x"', 22],
  ['{a="b"} | line_format "{{}}"', 22],
  ['{a="b"} | label_format x=y, x=z', 28],
  ['{a="b"} | label_format __error__=y', 23],
  ['rate({a="b"}[5m]', 16],
  ['rate({a="b"}[0s])', 12],
  ['rate({a="b"}[1000y])', 12],
  ['rate({a="b"}[5m] offset 1m offset 2m)', 27],
  ['sum(', 4],
  ['1e999', 0],
  ['rate({a="b"}[5m]) +', 19],
]

const empty = ['{}', '{ }', 'rate({}[5m])', '{} |= "x"', '{a=""}', '{a=~".*"}', '{a!="b"}', 'sum(rate({a!~"b"}[1m]))']

const wrong = [
  'rate({a="b"} | unwrap x [5m]) by (y)',
  'sum_over_time({a="b"}[5m])',
  'count_over_time({a="b"} | unwrap x [5m])',
  'quantile_over_time({a="b"} | unwrap x [5m])',
  'sum_over_time(0.5, {a="b"} | unwrap x [5m])',
  'topk(rate({a="b"}[5m]))',
  'topk(0, rate({a="b"}[5m]))',
  'topk(1.5, rate({a="b"}[5m]))',
  'sum(2, rate({a="b"}[5m]))',
  'sum(1)',
  '{a="b"} + 1',
  'rate({a="b"}[5m]) and 1',
]

const refused: readonly (readonly [query: string, feature: string, position: string])[] = [
  ['{a="b"} |= ip("1.2.3.4")', 'ip', '11'],
  ['{a="b"} | x=ip("1.2.3.4")', 'ip', '10'],
  ['{a="b"} | unpack', 'unpack', '10'],
  ['{a="b"} | decolorize', 'decolorize', '10'],
  ['{a="b"} |> "<_> x"', 'pattern line filters', '8'],
  ['{a="b"} | line_format "{{.x | ToUpper}}"', 'template {{.x | ToUpper}}', '22'],
  ['{a="b"} | label_format x="{{__line__}}"', 'template {{__line__}}', '25'],
  ['rate_counter({a="b"} | unwrap x [5m])', 'rate_counter', '0'],
  ['sum(sort(rate({a="b"}[5m])))', 'sort', '4'],
  ['label_replace(rate({a="b"}[5m]), "x", "$1", "y", "(.*)")', 'label_replace', '0'],
]

describe('the parser of LogQL', () => {
  it.each(malformed)('refuses the syntax of %s at position %i', (query, position) => {
    const expected = { reason: 'QUERY_SYNTAX_INVALID', metadata: { position: String(position), language: 'LOGQL' } }
    expect(failureOf(() => parseQuery(query))).toEqual(expected)
  })

  it.each(empty)('refuses the selector of %s', query => {
    expect(failureOf(() => parseQuery(query)).reason).toBe('SELECTOR_EMPTY')
  })

  it('reports a syntax error before an empty selector', () => {
    expect(failureOf(() => parseQuery('sum by x (rate({}[5m]))')).reason).toBe('QUERY_SYNTAX_INVALID')
  })

  it.each(wrong)('refuses the types of %s', query => {
    expect(failureOf(() => parseQuery(query)).reason).toBe('QUERY_TYPE_INVALID')
  })

  it.each(refused)('refuses %s', (query, feature, position) => {
    const expected = { reason: 'QUERY_FEATURE_UNSUPPORTED', metadata: { feature, position } }
    expect(failureOf(() => parseQuery(query))).toEqual(expected)
  })

  it('refuses patterns that are too large, and brackets that are nested too deeply', () => {
    const pattern = { reason: 'QUERY_LIMIT_EXCEEDED', metadata: { limit: 'pattern' } }
    expect(failureOf(() => parseQuery('{a=~"(a{100}){100}"}'))).toEqual(pattern)
    expect(failureOf(() => parseQuery('{a="b"} |~ "(a{100}){100}"'))).toEqual(pattern)
    const nesting = { reason: 'QUERY_LIMIT_EXCEEDED', metadata: { limit: 'nesting' } }
    expect(failureOf(() => parseQuery(`${'('.repeat(600)}1${')'.repeat(600)}`))).toEqual(nesting)
  })

  it('tells log queries, metric queries and stream selectors apart', () => {
    expect(failureOf(() => parseLogQuery('rate({a="b"}[5m])')).reason).toBe('QUERY_TYPE_INVALID')
    expect(failureOf(() => parseMetricQuery('{a="b"}')).reason).toBe('QUERY_TYPE_INVALID')
    expect(failureOf(() => parseStreamSelector('{a="b"} |= "x"', 'selector')).reason).toBe('QUERY_TYPE_INVALID')
    expect(parseStreamSelector('{a="b", c=~"d.*"}', 'selector').map(({ name }) => name)).toEqual(['a', 'c'])
  })

  it('reads operators with their precedence', () => {
    const value = (query: string): unknown => parseQuery(query)
    expect(value('1 + 2 * 3')).toMatchObject({ kind: 'number', value: 7 })
    expect(value('2 ^ 3 ^ 2')).toMatchObject({ value: 512 })
    expect(value('(1 + 2) * 3 == 9')).toMatchObject({ value: 1 })
    expect(value('7 - 2 - 1')).toMatchObject({ value: 4 })
    expect(value('1 / 0')).toMatchObject({ value: NaN })
  })

  it('takes offset after a range, also after unwrap, and leaves quoted text alone', () => {
    const offsets = ['rate({a="b"}[5m] offset 1m)', 'sum_over_time({a="b"} | json | unwrap x [5m] offset 1m)']
    for (const query of offsets) expect(parseQuery(query)).toMatchObject({ range: 300_000, offset: 60e9 })
    const quoted = 'rate({a="b"} |= "x[5m] offset 1m" [5m] offset -1s # [1m] offset 2m\n)'
    expect(parseQuery(quoted)).toMatchObject({ offset: -1e9 })
  })

  it('answers only documented errors to changed queries, each in bounded time', () => {
    const random = seeded(77)
    const documented =
      /^(?:none|SELECTOR_EMPTY|QUERY_(?:SYNTAX_INVALID|TYPE_INVALID|FEATURE_UNSUPPORTED|LIMIT_EXCEEDED))$/
    const tokens = [
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '"',
      '`',
      '|',
      '|=',
      '=~',
      'by',
      'json',
      'unwrap',
      '5m',
      'offset',
      '#',
      '\\',
      'é',
      '{{',
      ',',
      '-',
      '\u0000',
    ]
    const others: string[] = []
    let longest = 0
    for (let i = 0; i < 10 * queryCount; i += 1) {
      let text = random.percent(50) ? naiveLogQuery(random, false).text : naiveMetricQuery(random).text
      for (let change = random.below(4); change >= 0; change -= 1) {
        const at = random.below(text.length + 1)
        const removed = random.percent(50) ? random.below(4) : 0
        text = text.slice(0, at) + (random.percent(60) ? random.oneOf(tokens) : '') + text.slice(at + removed)
      }
      const before = process.cpuUsage().user
      const { reason } = failureOf(() => parseQuery(text))
      longest = Math.max(longest, process.cpuUsage().user - before)
      if (!documented.test(reason)) others.push(`${reason} ${text}`)
    }
    expect(others).toEqual([])
    expect(longest).toBeLessThan(5_000_000)
  })

  it('reads a query of 8 KiB of any sign in bounded time', () => {
    for (const sign of ['{', '(', '"', '|', '|= "a" ', 'a', '[', '1+', '{a="b"} ', ' or ', '\\', '#', '{{.x}}']) {
      const text = sign.repeat(Math.ceil(8192 / sign.length)).slice(0, 8192)
      const before = process.cpuUsage().user
      failureOf(() => parseQuery(text))
      failureOf(() => parseQuery(`{a="b"} ${text}`))
      expect(process.cpuUsage().user - before, sign).toBeLessThan(5_000_000)
    }
  })
})
