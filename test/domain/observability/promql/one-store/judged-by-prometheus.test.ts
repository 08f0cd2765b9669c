import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StaleMarks, type Series } from '../../../../../domain/observability/metrics/samples.ts'
import { seeded } from '../../../../areas/random.ts'
import { freePort } from '../../../../server/killed/processes.ts'
import { run, started } from '../../../../server/programs.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { difference, ownAnswer, type JudgedAnswer, type JudgedQuery } from './answers.ts'
import { EngineJudge } from './engine-judge.ts'
import { generatedSeries } from './generated-series.ts'
import { judgedQueries, judgeLimit, queryCount } from './judged-queries.ts'
import { MemorySource, seriesOf, type TestSample } from './memory-source.ts'

const random = seeded(42)
// The text format has no stale marks, and this release treats NaN and infinite samples otherwise.
const series = generatedSeries(random)
  .filter(({ labels }) => labels['__name__'] !== 'odd')
  .map(withoutStale)
const source = new MemorySource(series)

describe.skipIf(lacks('of PromQL by Prometheus of Debian', 'prometheus', 'promtool'))('Prometheus of Debian', () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>> | undefined
  let server: ChildProcess | undefined
  let address = ''

  beforeAll(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'ninefold-prometheus-'))
    const [data, text, config] = ['data', 'samples.txt', 'prometheus.yml'].map(name => join(folder?.path ?? '', name))
    await writeFile(text ?? '', openMetrics(series))
    await writeFile(config ?? '', 'global: {}\n')
    const loaded = await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', text ?? '', data ?? ''])
    if (loaded.status !== 0) throw new Error(`the samples cannot be loaded: ${loaded.errors}`)
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    const { child } = started('prometheus', [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=127.0.0.1:${port}`,
    ])
    server = child
    await vi.waitFor(async () => expect((await fetch(`${address}/-/ready`)).ok).toBe(true), { timeout: 60_000 })
  })

  afterAll(async () => {
    if (server?.exitCode === null) {
      const closed = once(server, 'close')
      server.kill()
      await closed
    }
    await folder?.remove()
  })

  it('gives the same answers to generated queries', judgeLimit, async () => {
    const queries = judgedQueries(random, { common: true }, queryCount)
    const differing: JudgedQuery[] = []
    let answered = 0
    for (const query of queries) {
      const judge = await judged(address, query)
      if (judge.elements.length > 0) answered += 1
      if (difference(ownAnswer(source, query), judge) !== '') differing.push(query)
    }
    // The release of Debian is older: it reads windows with both ends, and extrapolates counters near zero otherwise.
    expect(differing.length).toBeLessThanOrEqual(queryCount / 100)
    expect(await differencesOfPrometheus3(differing)).toEqual([])
    expect(answered).toBeGreaterThan(queryCount / 2)
  })

  it.each([
    '1e21',
    '1e20',
    '123456789012345678',
    '1e-6',
    '1.5e-7',
    '-1e-7',
    '1e300',
    '0.1',
    '-0',
    'NaN',
    'Inf',
    '-Inf',
  ])('writes the number %s alike, as a scalar and as an element', async number => {
    const time = series[0]?.times[0] ?? 0
    for (const query of [number, `vector(${number})`]) {
      const instant = { query, start: time, end: time, step: 0 }
      expect(ownAnswer(source, instant)).toEqual(await judged(address, instant))
    }
  })
})

/** Returns the queries to which the engine of Prometheus 3 gives another answer; none where Go is not installed. */
async function differencesOfPrometheus3(queries: readonly JudgedQuery[]): Promise<readonly object[]> {
  if (lacks('of differences between releases of Prometheus', 'go')) return []
  await using judge = await EngineJudge.built()
  const answers = await judge.answers(series, queries)
  return queries.flatMap((query, i) => {
    const fault = difference(ownAnswer(source, query), answers[i] ?? { elements: [] })
    return fault === '' ? [] : [{ ...query, fault }]
  })
}

function withoutStale({ labels, times, values }: Series): Series {
  const stale = new StaleMarks(values)
  const samples = [...times].flatMap((time, i): TestSample[] => (stale.has(i) ? [] : [[time, values[i] ?? 0]]))
  return seriesOf(labels, samples)
}

/** Writes series in the text format of OpenMetrics, the series of each metric together. */
function openMetrics(all: readonly Series[]): string {
  const byName = all.toSorted((one, other) =>
    (one.labels['__name__'] ?? '') < (other.labels['__name__'] ?? '') ? -1 : 1,
  )
  const lines = byName.flatMap(({ labels: { __name__: name, ...labels }, times, values }) => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    return Array.from(times, (time, i) => `${name}{${pairs.join(',')}} ${values[i]} ${time / 1000}\n`)
  })
  return `${lines.join('')}# EOF\n`
}

interface Sampled {
  readonly metric: Record<string, string>
  readonly value?: readonly [time: number, value: string]
  readonly values?: readonly (readonly [time: number, value: string])[]
}

/** Returns the answer of a server to a query over its HTTP API. */
async function judged(address: string, { query, start, end, step }: JudgedQuery): Promise<JudgedAnswer> {
  const isRange = step > 0
  const body = new URLSearchParams(
    isRange
      ? { query, start: String(start / 1000), end: String(end / 1000), step: String(step / 1000) }
      : { query, time: String(start / 1000) },
  )
  const response = await fetch(`${address}/api/v1/${isRange ? 'query_range' : 'query'}`, { method: 'POST', body })
  const { error, data } = (await response.json()) as {
    error?: string
    data?: { resultType: string; result: readonly Sampled[] | readonly [time: number, value: string] }
  }
  if (error !== undefined || data === undefined) return { error: error ?? 'no data', elements: [] }
  const point = ([time, value]: readonly [time: number, value: string]) => ({ time: Math.round(time * 1000), value })
  if (data.resultType === 'scalar') {
    return { elements: [{ labels: {}, points: [point(data.result as readonly [number, string])] }] }
  }
  const sampled = data.result as readonly Sampled[]
  return {
    elements: sampled.map(({ metric, value, values }) => ({
      labels: metric,
      points: (values ?? (value === undefined ? [] : [value])).map(point),
    })),
  }
}
