import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seeded } from '../../../../areas/random.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { difference, ownAnswer, type JudgedAnswer, type JudgedQuery } from './answers.ts'
import { EngineJudge } from './engine-judge.ts'
import { QueryGenerator } from './generated-queries.ts'
import { firstTime, generatedSeries } from './generated-series.ts'
import { judgedQueries, judgeLimit, mutated, queryCount } from './judged-queries.ts'
import { MemorySource } from './memory-source.ts'

const random = seeded(20_261_130)
const series = generatedSeries(random)
const source = new MemorySource(series)

describe.skipIf(lacks('of PromQL by the engine of Prometheus 3', 'go'))('the engine of Prometheus 3', () => {
  let judge: EngineJudge | undefined

  beforeAll(async () => {
    judge = await EngineJudge.built()
  }, 600_000)

  afterAll(() => judge?.[Symbol.asyncDispose]())

  const judged = async (queries: readonly JudgedQuery[]) => (await judge?.answers(series, queries)) ?? []

  it('gives the same answers to generated queries', judgeLimit, async () => {
    const queries = judgedQueries(random, { common: false }, queryCount)
    const answers = await judged(queries)
    const differences = queries.flatMap((query, i) => {
      const fault = difference(ownAnswer(source, query), answers[i] ?? { elements: [] })
      return fault === '' ? [] : [{ ...query, fault }]
    })
    expect(differences).toEqual([])
    const answered = answers.filter(({ elements }) => (elements ?? []).length > 0)
    expect(answered.length).toBeGreaterThan(queryCount / 2)
  })

  it('gives the same order to sorted elements', async () => {
    const sorted = [
      'sort(temperature)',
      'sort_desc(temperature)',
      'topk(3, temperature)',
      'bottomk by (job) (2, temperature)',
    ]
    const queries = sorted.map(query => ({ query, start: firstTime + 3_600_000, end: firstTime + 3_600_000, step: 0 }))
    const answers = await judged(queries)
    const labelsOf = ({ elements }: JudgedAnswer) => elements.map(({ labels }) => labels)
    expect(queries.map(query => labelsOf(ownAnswer(source, query)))).toEqual(answers.map(labelsOf))
    expect(labelsOf(answers[0] ?? { elements: [] })).not.toHaveLength(0)
  })

  it('refuses what is refused here, and accepts what is accepted here with the same answer', judgeLimit, async () => {
    const generator = new QueryGenerator(random, { common: false })
    const start = firstTime + 3_600_000 + 7123
    const queries = Array.from({ length: queryCount * 5 }, () => {
      return { query: mutated(generator.query(), random), start, end: start, step: 0 }
    })
    const answers = await judged(queries)
    const faults = queries.flatMap((query, i) => {
      const [own, judge] = [ownAnswer(source, query), answers[i] ?? { elements: [] }]
      // The grammar of lezer lacks a few forms, such as `5.` for a number: those are refused with their position.
      if (own.error !== undefined && judge.error === undefined)
        return [{ query: query.query, isOnlyRefused: true, fault: own.error }]
      const fault = difference(own, judge)
      // Times beyond the calendar of JavaScript have no date.
      return fault === '' || fault.includes('NaN at') ? [] : [{ query: query.query, isOnlyRefused: false, fault }]
    })
    expect(faults.filter(({ isOnlyRefused }) => !isOnlyRefused)).toEqual([])
    expect(faults.length).toBeLessThan(queries.length / 50)
  })
})
