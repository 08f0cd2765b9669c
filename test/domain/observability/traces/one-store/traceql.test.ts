import { describe, expect, it } from 'vitest'
import { selectSpans } from '../../../../../domain/observability/traceql/evaluate.ts'
import { parseTraceQl } from '../../../../../domain/observability/traceql/parse.ts'
import { loadedTrace, type LoadedTrace } from '../../../../../domain/observability/traces/loaded-trace.ts'
import type { TraceSpan } from '../../../../../domain/observability/traces/span.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { spanId, traceId } from '../sent-spans.ts'
import { attributeNames, naiveQuery, serviceNames, spanNames, textValues } from './naive-queries.ts'

/** The number of generated queries, and of damaged texts. */
const queries = Number(process.env['NINEFOLD_TRACEQL_QUERIES'] ?? 1000)
const damaged = 10 * queries

const seed = 20_261_130

/** Returns a trace of up to twelve spans; parents may be missing, and attributes have all types. */
function randomTrace(random: Random, number: number): LoadedTrace {
  const count = 1 + random.below(12)
  const attributes = () =>
    Object.fromEntries(
      attributeNames.flatMap(name =>
        random.percent(50)
          ? [[name, random.oneOf([random.oneOf(textValues), random.below(4) * 100, -1, 1.5, random.percent(50)])]]
          : [],
      ),
    )
  const spans = Array.from({ length: count }, (_, i): TraceSpan => {
    const start = BigInt(1_000_000 + i * 1000) * 1_000_000n
    const parent = i === 0 ? 0 : random.below(i + 2)
    return {
      traceId: traceId(number),
      spanId: spanId(i + 1),
      parentId: parent === 0 ? '' : spanId(parent > i ? 99 : parent),
      name: random.oneOf(spanNames),
      kind: random.oneOf(['SERVER', 'CLIENT', 'INTERNAL'] as const),
      start,
      end: start + BigInt(random.below(30)) * 1_000_000n,
      status: random.oneOf(['UNSET', 'OK', 'ERROR'] as const),
      message: '',
      attributes: attributes(),
      events: [],
      links: [],
      scope: { name: '', version: '' },
      resource: { service: random.oneOf(serviceNames), attributes: attributes() },
    }
  })
  const trace = loadedTrace(spans)
  if (trace === undefined) throw new Error('the trace has no span')
  return trace
}

const idsOf = (spans: Iterable<TraceSpan>): string[] => [...spans].map(({ spanId: id }) => id)

const random = seeded(seed)
const traces = Array.from({ length: 30 }, (_, i) => randomTrace(random, i + 1))

it(`${queries} generated queries select the spans that their meaning selects (seed ${seed})`, () => {
  let selecting = 0
  for (let i = 0; i < queries; i += 1) {
    const naive = naiveQuery(random)
    const parsed = parseTraceQl(naive.text)
    for (const trace of traces) {
      const expected = naive.select(trace.spans, trace.spans)
      const inOrder = idsOf(trace.spans).filter(id => expected.has(id))
      expect({ query: naive.text, trace: trace.traceId, ids: idsOf(selectSpans(parsed, trace)) }).toEqual({
        query: naive.text,
        trace: trace.traceId,
        ids: inOrder,
      })
      if (inOrder.length > 0 && inOrder.length < trace.spans.length) selecting += 1
    }
  }
  // Queries that select all or nothing would show little.
  expect(selecting).toBeGreaterThan(queries)
})

it(`${damaged} damaged texts are parsed or refused by a documented error`, () => {
  const documented = ['QUERY_SYNTAX_INVALID', 'QUERY_TYPE_INVALID', 'QUERY_FEATURE_UNSUPPORTED', 'QUERY_LIMIT_EXCEEDED']
  const pieces = [
    '{',
    '}',
    '(',
    ')',
    '|',
    '&&',
    '||',
    '>',
    '>>',
    '"',
    '`',
    '-',
    '!',
    '.',
    'nil',
    'count()',
    '~',
    '😀',
    '=',
  ]
  const counts = new Map<string, number>()
  for (let i = 0; i < damaged; i += 1) {
    const { text } = naiveQuery(random)
    const at = random.below(text.length)
    const cut = random.below(3)
    const query = text.slice(0, at) + (random.percent(70) ? random.oneOf(pieces) : '') + text.slice(at + cut)
    let outcome = 'parsed'
    try {
      parseTraceQl(query)
    } catch (error) {
      if (!(error instanceof ApiError)) throw new Error(`the query fails: ${query}`, { cause: error })
      outcome = error.reason
      const { position } = error.metadata
      if (position !== undefined) expect(Number(position)).toBeLessThanOrEqual(query.length)
    }
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  expect(documented).toEqual(expect.arrayContaining([...counts.keys()].filter(key => key !== 'parsed')))
  expect(counts.get('QUERY_SYNTAX_INVALID')).toBeGreaterThan(damaged / 10)
})

/** Returns the reason of the error of a query, with its position and feature. */
function faultOf(query: string): readonly unknown[] {
  try {
    parseTraceQl(query)
    return ['parsed']
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { feature, position } = error.metadata
    return [error.reason, ...(position === undefined ? [] : [Number(position)]), ...(feature ? [feature] : [])]
  }
}

describe('a query outside of the subset', () => {
  const unsupported = (position: number, feature: string) => ['QUERY_FEATURE_UNSUPPORTED', position, feature]

  it.each([
    ['{ .a = 1 } ~ { .b = 1 }', unsupported(11, '~')],
    ['{ .a = 1 } !> { .b = 1 }', unsupported(11, '!>')],
    ['{ .a = 1 } &>> { .b = 1 }', unsupported(11, '&>>')],
    ['{ .a = 1 } < { .b = 1 }', unsupported(11, '<')],
    ['{ .a = 1 } << { .b = 1 }', unsupported(11, '<<')],
    ['{ } | by(.a)', unsupported(6, 'by')],
    ['{ } | select(.a)', unsupported(6, 'select')],
    ['{ } | coalesce()', unsupported(6, 'coalesce')],
    ['{ } | rate()', unsupported(6, 'rate')],
    ['{ } | max(duration) > 1s', unsupported(6, 'max(duration)')],
    ['{ } | avg(.a) > 1', unsupported(6, 'avg(.a)')],
    ['{ } | count() > count()', unsupported(16, 'count()')],
    ['{ .a + 1 > 3 }', unsupported(5, '+')],
    ['{ !(.a = 1) }', unsupported(2, '!')],
    ['{ -.a = 1 }', unsupported(2, '-')],
    ['{ .a != nil }', unsupported(8, 'nil')],
    ['{ .a = $x }', unsupported(7, '$x')],
    ['{ parent.a = 1 }', unsupported(2, 'parent.')],
    ['{ event.a = 1 }', unsupported(2, 'event.')],
    ['{ trace:duration > 1s }', unsupported(2, 'trace:duration')],
    ['{ statusMessage = "x" }', unsupported(2, 'statusMessage')],
    ['count() > 1', unsupported(0, 'count')],
    ['{ .a = 1 } with (most_recent=true)', unsupported(11, 'with')],
  ])('is refused with its feature and position: %s', (query, fault) => expect(faultOf(query)).toEqual(fault))

  it.each([
    ['{ name = 5 }'],
    ['{ status > error }'],
    ['{ kind = error }'],
    ['{ name =~ 5 }'],
    ['{ duration =~ "x" }'],
    ['{ .a = (.b = 1) }'],
    ['{ .a = 1 = 1 }'],
    ['{ name }'],
    ['{ 5 }'],
    ['{ } | count() =~ 5'],
  ])('has a wrong type: %s', query => expect(faultOf(query)).toEqual(['QUERY_TYPE_INVALID']))

  it.each([
    ['{ .a = 1', 8],
    ['{ .a = }', 7],
    ['{ .a = 1 } && ', 14],
    ['{ .a = 1 } { .b = 1 }', 11],
    ['{ .a =~ "(" }', 8],
    ['{ .a = 99999999999999999999 }', 7],
    ['foo', 0],
    [' ', 1],
  ])('is malformed: %s', (query, position) => expect(faultOf(query)).toEqual(['QUERY_SYNTAX_INVALID', position]))

  it('is refused beyond 500 levels of brackets', () => {
    expect(faultOf(`${'('.repeat(501)}{}${')'.repeat(501)}`)).toEqual(['QUERY_LIMIT_EXCEEDED'])
    expect(faultOf(`${'('.repeat(100)}{}${')'.repeat(100)}`)).toEqual(['parsed'])
    expect(faultOf(Array(400).fill('{ .a = 1 }').join(' && '))).toEqual(['parsed'])
  })
})

describe('lists and quoted names', () => {
  const [trace] = traces
  const of = (attributes: TraceSpan['attributes'], query: string): boolean => {
    const [span] = trace?.spans ?? []
    if (span === undefined) throw new Error('the trace has no span')
    const one = loadedTrace([{ ...span, attributes, resource: { service: 'api', attributes: {} } }])
    return one !== undefined && selectSpans(parseTraceQl(query), one).length > 0
  }

  it.each([
    ['{ .a = "x" }', true],
    ['{ .a = "z" }', false],
    ['{ .a != "z" }', true],
    ['{ .a != "x" }', false],
    ['{ .a =~ "y|z" }', true],
    ['{ .a !~ "y|z" }', false],
    ['{ .a > 1 }', false],
    ['{ span."b c" = 1 }', true],
    ['{ span."b c" = 1 /* a comment */ && .absent != 1 }', false],
    ['{ "x" = .a }', true],
  ])('a query fits a list or not: %s', (query, fits) => {
    expect(of({ a: ['x', 'y'], 'b c': 1 }, query)).toBe(fits)
  })
})
