import { describe, expect, it } from 'vitest'
import { presenceQuery } from '../../../../../domain/observability/stacks/queries/presence-query.ts'
import { promqlSelectorText, promqlText } from '../../../../../domain/observability/stacks/queries/promql-text.ts'
import { selectorsOf, parseQuery } from '../../../../../domain/observability/promql/language/parse.ts'
import { seeded } from '../../../../areas/random.ts'
import { generatedSeries } from '../../promql/one-store/generated-series.ts'
import { judgedQueries } from '../../promql/one-store/judged-queries.ts'
import { ownAnswer, type JudgedAnswer } from '../../promql/one-store/answers.ts'
import { MemorySource } from '../../promql/one-store/memory-source.ts'

const workspace = '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3'

const own = `workspace_id="${workspace}"`

/** Returns an answer without the label of the workspace, which `absent` makes of its matchers. */
const stripped = ({ elements }: JudgedAnswer) =>
  elements.map(({ labels, points }) => {
    const { workspace_id: _own, ...rest } = labels ?? {}
    return { labels: rest, points }
  })

describe('a query for a store without tenants', () => {
  it.each([
    ['up', `{${own},__name__="up"}`],
    ['up{}', `{${own},__name__="up"}`],
    ['{job="api"}', `{${own},job="api"}`],
    ['rate(up{a=`x"\\`,}[5m] offset -1h)', `rate({${own},a="x\\"\\\\",__name__="up"}[5m] offset -1h)`],
    ['max_over_time((a + b)[1h:1m])', `max_over_time(({${own},__name__="a"} + {${own},__name__="b"})[1h:1m])`],
    ['a # + b\n- c', `{${own},__name__="a"} - {${own},__name__="c"}`],
    ["label_replace(a, 'x', 'b} or {', '', '')", `label_replace({${own},__name__="a"}, "x", "b} or {", "", "")`],
    ['limitk(1, a)', `limitk(1, {${own},__name__="a"})`],
    ['{"a.b", "c.d"="x"}', `{${own},"c.d"="x",__name__="a.b"}`],
    [
      'sum without (b) (a) / on () group_left (c) d',
      `sum without (b) ({${own},__name__="a"}) / on () group_left (c) {${own},__name__="d"}`,
    ],
  ])('has the workspace in each selector: %s', (query, text) => {
    expect(promqlText(query, workspace).replaceAll(/ +/g, ' ')).toBe(text)
    expect(promqlText(query, undefined).replaceAll(/ +/g, ' ')).toBe(text.replaceAll(`${own},`, ''))
  })

  it('has the workspace in each selector of generated queries, and the same result', () => {
    const random = seeded(28)
    const source = new MemorySource(
      generatedSeries(random).map(each => ({ ...each, labels: { ...each.labels, workspace_id: workspace } })),
    )
    let answered = 0
    for (const judged of judgedQueries(random, { common: true }, 300)) {
      const expected = ownAnswer(source, judged)
      if (expected.error !== undefined) continue
      const text = promqlText(judged.query, workspace)
      const [given, written] = [judged.query, text].map(query => selectorsOf(parseQuery(query).expression))
      expect(written?.map(({ matchers }) => matchers[0]?.value)).toEqual(given?.map(() => workspace))
      expect(stripped(ownAnswer(source, { ...judged, query: text }))).toEqual(stripped(expected))
      answered += 1
    }
    expect(answered).toBeGreaterThan(200)
  })

  it.each([
    'up{workspace_id="x"}',
    'up{workspace_id=~".*"}',
    '{"workspace_id"="x"}',
    '{__name__="up", workspace_id!=""}',
    'sum by (workspace_id) (up)',
    'sum by ("workspace_id") (up)',
    'sum(up) without (workspace_id)',
    'up / on (workspace_id) up',
    'up / ignoring (workspace_id) up',
    'up * on (a) group_left (workspace_id) up',
    'label_replace(up, "x", "$1", "workspace_id", "(.*)")',
    "label_replace(up, 'workspace_id', 'x', '', '')",
    'label_replace(up, "workspace\\x5fid", "x", "", "")',
    'label_join(up, "x", "", "workspace_id")',
    'count_values("workspace_id", up)',
  ])('may not use the label of the workspace: %s', query => {
    expect(() => promqlText(query, workspace)).toThrow("'reserved_label' is not supported")
    expect(() => promqlText(query, undefined)).not.toThrow()
  })

  it('may not read series that no selector names', () => {
    expect(() => promqlText('info(up)', workspace)).toThrow("'info' is not supported")
    expect(promqlText('info(up)', undefined)).toBe('info({__name__="up"})')
  })

  it.each(['up{', '{}', 'up{a=~"("}', 'a b', 'rate(up)', 'WITH (x = up) x', 'up{a="1" or b="2"}', 'up @ @', '"a'])(
    'is refused before it is sent: %s',
    query => {
      expect(() => promqlText(query, workspace)).toThrow(/malformed|wrong type/)
    },
  )

  it('has one selector for each match of a list', () => {
    expect(promqlSelectorText('up{a!="b"}', workspace, 'match')).toBe(`{${own},a!="b",__name__="up"}`)
    expect(() => promqlSelectorText('{workspace_id="b"}', workspace, 'match')).toThrow('reserved_label')
    expect(() => promqlSelectorText('up or down', workspace, 'match')).toThrow('a series selector')
  })
})

describe('the query for the presence of data', () => {
  it.each([
    ['1 + time()', undefined],
    ['a == 0', 'group(last_over_time({__name__="a"}[300000ms]))'],
    ['a offset 1h @ 7', 'group(last_over_time({__name__="a"}[300000ms] offset 3600000ms @ 7))'],
    [
      'rate(a[1h]) > a',
      'group(last_over_time({__name__="a"}[3600000ms])) or group(last_over_time({__name__="a"}[300000ms]))',
    ],
    ['max_over_time(a[1h:1m] offset 1m)', 'group(last_over_time({__name__="a"}[3900000ms] offset 60000ms))'],
    ['-sum(topk(1, a))', 'group(last_over_time({__name__="a"}[300000ms]))'],
  ])('asks for what the selectors of %s read', (query, text) => {
    expect(presenceQuery(query, undefined)).toBe(text)
  })
})
