import { describe, expect, it } from 'vitest'
import { EntryFilter } from '../../../../../domain/observability/logql/entry-filter.ts'
import { entryOf } from './memory-entries.ts'
import { failureOf } from './failure-of.ts'

/** Runs the stages of a query on one line of the stream `{app="api"}`; returns the line and the labels that stages made. */
function shown(line: string, stages: string): { readonly line: string; readonly labels: object } | undefined {
  const result = new EntryFilter(`{app="api"} ${stages}`).show({ app: 'api' }, entryOf(1n, 1, line))
  if (result === undefined) return undefined
  const { app: _, __error_details__: __, ...labels } = result.labels
  return { line: result.line, labels }
}

const labels: readonly (readonly [line: string, stages: string, labels: object])[] = [
  // Names of members of members are joined, arrays and nulls make no labels, numbers keep their form.
  ['{"a":{"b":{"c":1}},"l":[1],"n":null,"f":1.0,"t":true}', '| json', { a_b_c: '1', f: '1.0', t: 'true' }],
  ['{"key with space":"v","1st":2,"é":3}', '| json', { key_with_space: 'v', _1st: '2', _: '3' }],
  // A label of the stream stays, and the other one gets a suffix; the first of two members counts.
  ['{"app":"x","a":1,"a":2}', '| json', { app_extracted: 'x', a: '1' }],
  // What stands before the malformed part makes labels.
  ['{"a":1,"b":', '| json', { a: '1', __error__: 'JSONParserErr' }],
  ['text', '| json', { __error__: 'JSONParserErr' }],
  ['{"a":"\\u00e9\\n\\"","b":"\\x"}', '| json', { a: 'é\n"' }],
  [
    '{"a":{"b":[{"c":"x"}]},"d":"y"}',
    '| json c="a.b[0].c", o="a", e="[\\"d\\"]", m="z"',
    { c: 'x', o: '{"b":[{"c":"x"}]}', e: 'y' },
  ],
  ['level=info msg="a \\"b\\"" empty= alone n=1', '| logfmt', { level: 'info', msg: 'a "b"', n: '1' }],
  ['level=info junk"x n=1', '| logfmt', { level: 'info', n: '1' }],
  ['level=info junk"x n=1', '| logfmt --strict', { level: 'info', __error__: 'LogfmtParserErr' }],
  ['level=info n=1', '| logfmt severity="level"', { severity: 'info' }],
  ['GET /a 200', '| regexp "(?P<method>\\\\w+) (?P<path>\\\\S+)"', { method: 'GET', path: '/a' }],
  ['GET /a 200', '| pattern "<method> <_> <status>"', { method: 'GET', status: '200' }],
  ['GET /a', '| pattern "<method> <path> <status>"', { method: 'GET', path: '/a' }],
  ['GET /a', '| pattern "POST <path>"', {}],
  // A parser makes no label twice, not even after it was removed.
  ['{"a":1} a=2 b=3', '| json | drop a | logfmt', { b: '3' }],
  ['a=1 b=2', '| logfmt | label_format c=a, d="{{.b}}-{{.x}}" | drop b="2"', { c: '1', d: '2-' }],
  ['a=1 b=2', '| logfmt | keep b', { b: '2' }],
  ['x', '| json | drop __error__', {}],
  // A value that is no quantity passes with an error; an absent label does not pass.
  ['a=b', '| logfmt | a > 1', { a: 'b', __error__: 'LabelFilterErr' }],
]

const passed: readonly (readonly [line: string, stages: string, passes: boolean])[] = [
  ['a=1', '| logfmt | b > 1', false],
  ['a=1', '| logfmt | b != "1"', true],
  ['d=1500ms s=2KiB', '| logfmt | d >= 1.5s and s == 2048B', true],
  ['d=1h30m', '| logfmt | d == 90m', true],
  ['s=1,024', '| logfmt | s == 1024B', true],
  ['a=1 b=2', '| logfmt | a="2" and b="3" or b="2"', true],
  ['a=1 b=2', '| logfmt | a="1" or b="2" , b="3"', true],
  ['a=1 b=2', '| logfmt | (a="1" or b="2") , b="3"', false],
  ['a=1 b=2', '| logfmt | a=~"1|2"', true],
  ['error A', '|= "a"', false],
  ['error A', '|~ "(?i)a" != "warn"', true],
  ['error A', '!= "warn" or "error"', false],
  ['first\nsecond', '|~ "first.second"', false],
]

describe('a pipeline', () => {
  it.each(labels)('makes labels of %s by %s', (line, stages, expected) => {
    expect(shown(line, stages)?.labels).toEqual(expected)
  })

  it.each(passed)('tests %s by %s', (line, stages, passes) => {
    expect(shown(line, stages) !== undefined).toBe(passes)
  })

  it('formats lines, of which the filters after it see the new text', () => {
    expect(shown('a=1', '| logfmt | line_format "{{.a}}/{{ .b }}" |= "1/"')?.line).toBe('1/')
    expect(shown('a=1', '| logfmt | line_format "x {{- .a -}} y"')?.line).toBe('x1y')
    expect(shown('a=1', '| logfmt | line_format "x" |= "a"')).toBe(undefined)
  })
})

describe('hostile lines and stages', () => {
  it('end templates that grow from stage to stage, with an error', () => {
    const doubled = '| label_format a="{{.a}}{{.a}}" '.repeat(60)
    const line = `a=${'x'.repeat(1000)}`
    const result = shown(line, `| logfmt ${doubled}`)
    expect(result?.labels).toMatchObject({ __error__: 'TemplateFormatErr' })
    expect(JSON.stringify(result).length).toBeLessThan(300_000)
    expect(shown(line, `| logfmt | line_format "${'{{.a}}'.repeat(300)}"`)?.line).toBe(line)
  })

  it.each([
    ['objects in objects', '{"a":'.repeat(40_000)],
    ['closed objects in objects', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`],
    ['arrays in arrays', `{"a":${'['.repeat(200_000)}`],
    ['escapes', `{"a":"${'\\\\'.repeat(60_000)}"}`],
    ['quotes', `{${'"'.repeat(250_000)}`],
    ['keys', `{${Array.from({ length: 15_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['equals signs', '='.repeat(250_000)],
    ['words', 'a '.repeat(120_000)],
    ['open quotes', 'a="'.repeat(80_000)],
  ])('take bounded time: %s', (_, line) => {
    const before = process.cpuUsage().user
    for (const stages of ['| json', '| json a="a.a[0]"', '| logfmt', '| logfmt --strict', '| pattern "<a>=<b> <c>"']) {
      shown(line, stages)
    }
    expect(process.cpuUsage().user - before).toBeLessThan(20_000_000)
  })
})

describe('an entry filter', () => {
  it('selects streams and tests single entries with their metadata', () => {
    const filter = new EntryFilter('{app="api"} | region="eu"')
    expect([filter.selects({ app: 'api' }), filter.selects({ app: 'web' }), filter.selects({})]).toEqual([
      true,
      false,
      false,
    ])
    const entry = entryOf(1n, 1, 'x', { metadata: { region: 'eu', app: 'inner' } })
    expect(filter.show({ app: 'api' }, entry)).toEqual({
      entry,
      line: 'x',
      labels: { app: 'api' },
      metadata: { region: 'eu', app_extracted: 'inner' },
    })
    expect(filter.show({ app: 'api' }, entryOf(1n, 1, 'x'))).toBe(undefined)
  })

  it('refuses metric queries, naming the field that holds the query', () => {
    expect(failureOf(() => new EntryFilter('rate({a="b"}[5m])', 'filter')).reason).toBe('QUERY_TYPE_INVALID')
  })
})
