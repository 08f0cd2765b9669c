import type { Random } from '../../../../areas/random.ts'
import type { JudgedQuery } from './answers.ts'
import { QueryGenerator, type Dialect } from './generated-queries.ts'
import { firstTime, timeSpan } from './generated-series.ts'

/** The number of queries for each judge: `NINEFOLD_PROMQL_QUERIES=2000 npx vitest run promql/one-store/judged` */
export const queryCount = Number(process.env['NINEFOLD_PROMQL_QUERIES'] ?? 300)

/** The time limit of the generated queries of a judge, in milliseconds. */
export const judgeLimit = { timeout: 180_000 + queryCount * 300 }

/** Generates queries at full minutes or seven seconds after them, at one time or over a range. */
export function judgedQueries(random: Random, dialect: Dialect, count: number): readonly JudgedQuery[] {
  const generator = new QueryGenerator(random, dialect)
  return Array.from({ length: count }, () => {
    const isOnGrid = !dialect.common && random.percent(50)
    // At the first samples of a counter, the older release extrapolates in another way.
    const least = dialect.common ? 70 : 0
    const start = firstTime + (least + random.below(timeSpan / 60_000 - least)) * 60_000 + (isOnGrid ? 0 : 7123)
    const query = generator.query()
    if (random.percent(60)) return { query, start, end: start, step: 0 }
    const step = random.oneOf([15_000, 60_000, 97_000, 300_000])
    // The steps of a range that a judge reads with closed windows stay off the times of samples.
    return { query, start, end: start + random.below(30) * 60_000 + 1, step }
  })
}

const fragments = [
  '( ) [ ] { } , " \' ` \\ @ : - + ^ == =~ !~ = != %',
  'offset by without on ignoring group_left bool and or unless atan2 UNLESS BY Sum',
  '5m 1h30m 0x1F 010 08 1e3 1_0 .5 1e 5m3s 3s5m 1.5h nan inf 1e999 limitk info( smoothed anchored fill >/ </',
  'start() end() sum rate topk sum( {a="b"} {"a.b"} [5m:] [5m:30s] __name__ foo le \\x41 \\u00e9 "a" é $ \n \0 time()',
]
  .flatMap(line => line.split(' '))
  .concat(' ', 'offset -5m', 'OFFSET 1m', '@ 5')

/** Changes a query at up to three places, so that it mostly is malformed or has wrong types. */
export function mutated(query: string, random: Random): string {
  let text = query
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const from = random.below(text.length + 1)
    const to = Math.min(text.length, from + random.below(6))
    const fragment = random.oneOf(fragments)
    text = random.oneOf([
      text.slice(0, from) + text.slice(to),
      text.slice(0, from) + fragment + text.slice(from),
      text.slice(0, from) + fragment + text.slice(to),
      `${text.slice(0, from)} ${fragment} ${text.slice(from)}`,
    ])
  }
  return text
}
