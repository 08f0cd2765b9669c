import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MetricPlaces } from '../../../../server/observability/native/files/places.ts'
import { labelsOf } from '../../../../server/observability/native/reading/labels.ts'
import { WorkspaceReader } from '../../../../server/observability/native/reading/workspace-reader.ts'
import type { MetricEngine } from '../../../../domain/observability/metrics/metric-engine.ts'
import { shared } from '../../../shared.ts'
import { batch, limits, newWorkspace, noon, series, testEngine } from './engines.ts'

const minute = 60_000
const hour = 3_600_000
const day = 86_400_000

const { signal } = new AbortController()

const running = shared(async later => testEngine(later))

/** Writes series of two metrics: four of `http_requests_total`, and `up` that has ended two hours ago. */
async function written(engine: MetricEngine): Promise<string> {
  const workspace = newWorkspace()
  const requests = ['a', 'b'].flatMap(job =>
    ['200', '500'].map(code =>
      series({ __name__: 'http_requests_total', code, job }, [
        [noon - hour, 1],
        [noon, 2],
      ]),
    ),
  )
  const up = series({ __name__: 'up', instance: 'i' }, [
    [noon - 3 * hour, 1],
    [noon - 2 * hour, 1],
  ])
  const metadata = { name: 'http_requests_total', type: 'COUNTER', unit: 'requests', description: 'Requests.' } as const
  await engine.write(workspace, { ...batch(...requests, up), metadata: [metadata] }, limits)
  return workspace
}

describe('the metrics of a workspace', () => {
  it('are described in the order of their names', async () => {
    const { engine } = running()
    expect(await engine.descriptors(await written(engine), signal)).toEqual([
      {
        name: 'http_requests_total',
        type: 'OBSERVABILITY_METRIC_TYPE_COUNTER',
        unit: 'requests',
        description: 'Requests.',
        label_names: ['code', 'job'],
        series_count: 4,
        last_sample_time: '2026-11-30T10:00:00.000Z',
      },
      {
        name: 'up',
        type: 'OBSERVABILITY_METRIC_TYPE_UNKNOWN',
        unit: '',
        description: '',
        label_names: ['instance'],
        series_count: 1,
        last_sample_time: '2026-11-30T08:00:00.000Z',
      },
    ])
    expect(await engine.descriptors(newWorkspace(), signal)).toEqual([])
  })

  it('keep the last description of a sender', async () => {
    const { engine } = running()
    const workspace = await written(engine)
    const metadata = { name: 'up', type: 'GAUGE', unit: '', description: 'Whether it is up.' } as const
    await engine.write(workspace, { ...batch(), metadata: [metadata] }, limits)
    const [, up] = await engine.descriptors(workspace, signal)
    expect(up).toMatchObject({ type: 'OBSERVABILITY_METRIC_TYPE_GAUGE', description: 'Whether it is up.' })
  })

  it.each([
    ['all series', { match: [] }, ['__name__', 'code', 'instance', 'job']],
    ['a selector', { match: ['http_requests_total{code="200"}'] }, ['__name__', 'code', 'job']],
    ['several selectors', { match: ['up', '{job=~"a|c"}'] }, ['__name__', 'code', 'instance', 'job']],
    [
      'a time with samples of one series',
      { match: [], start: noon - 2 * hour, end: noon - 2 * hour },
      ['__name__', 'instance'],
    ],
    ['a time between two samples', { match: [], start: noon - hour + 1, end: noon - 1 }, []],
    ['a time after all samples', { match: [], start: noon + 1 }, []],
    ['a time up to the first sample', { match: [], end: noon - 3 * hour }, ['__name__', 'instance']],
  ])('have the labels of %s', async (_, selection, names) => {
    const { engine } = running()
    const labels = await engine.labels(await written(engine), selection, signal)
    expect(labels.map(({ name }) => name)).toEqual(names)
    expect(labels.every(({ truncated, values }) => values.length === 0 && !truncated)).toBe(true)
  })

  it('have the values of a label that is asked for', async () => {
    const { engine } = running()
    const labels = await engine.labels(await written(engine), { match: ['{job!=""}'], label: 'code' }, signal)
    expect(labels.find(({ name }) => name === 'code')).toEqual({
      name: 'code',
      value_count: 2,
      values: ['200', '500'],
      truncated: false,
    })
    expect(labels.find(({ name }) => name === 'job')).toMatchObject({ value_count: 2, values: [] })
  })

  it.each<readonly [string, (engine: MetricEngine, workspace: string, signal: AbortSignal) => Promise<unknown>]>([
    ['metrics', (engine, workspace, caller) => engine.descriptors(workspace, caller)],
    ['labels', (engine, workspace, caller) => engine.labels(workspace, { match: [] }, caller)],
  ])('have lists of %s that end with the signal of their caller', async (_of, list) => {
    const { engine } = running()
    const caller = new AbortController()
    const asked = list(engine, await written(engine), caller.signal)
    caller.abort(new Error('the caller has gone'))
    await expect(asked).rejects.toThrow('the caller has gone')
    await expect.poll(() => engine.load.readers).toEqual({ running: 0, waiting: 0 })
  })

  it('are not read any more for a list that nobody awaits', async () => {
    const { engine, folder } = running()
    const workspace = await written(engine)
    const reader = WorkspaceReader.open(new MetricPlaces(join(folder, 'observability'), workspace), () => {})
    reader?.refresh({ defaultMs: Infinity, selected: [] })
    const selection = { match: [], start: noon - hour + 1, end: noon - 1 }
    const labels = (isAborted: boolean) => labelsOf(reader, { selection, now: noon }, () => isAborted)
    expect(labels(false)).toEqual([])
    expect(() => labels(true)).toThrow('the engine was interrupted')
    reader?.close()
  })

  it('refuse a selector that cannot be parsed', async () => {
    const { engine } = running()
    const labels = engine.labels(await written(engine), { match: ['{'] }, signal)
    await expect(labels).rejects.toMatchObject({ reason: 'QUERY_SYNTAX_INVALID' })
  })

  it('are answered over a range', async () => {
    const { engine } = running()
    const workspace = await written(engine)
    const query = {
      query: 'sum(http_requests_total)',
      start: noon - hour,
      end: noon,
      step: 30 * minute,
      timeoutMs: 9000,
    }
    const { text } = await engine.queryRange(workspace, query, signal)
    expect(JSON.parse(text).matrix[0].points.map(({ value }: { value: string }) => value)).toEqual(['4', '8'])
  })

  it('give the vector of an alert rule, and whether a selector has found anything', async () => {
    const { engine } = running()
    const workspace = await written(engine)
    const vector = (query: string) => engine.alertVector(workspace, query, noon, signal)
    expect(await vector('http_requests_total{code="500", job="a"} > 1')).toEqual({
      elements: [{ labels: { __name__: 'http_requests_total', code: '500', job: 'a' }, value: 2 }],
      hasData: true,
    })
    expect(await vector('http_requests_total > 100')).toEqual({ elements: [], hasData: true })
    expect(await vector('absent_metric')).toEqual({ elements: [], hasData: false })
  })
})

describe('a query', () => {
  it('ends at its timeout', async () => {
    const { engine } = running()
    const workspace = await written(engine)
    const slow = 'sum(count_over_time(http_requests_total[1h:1ms]))'
    const asked = engine.query(workspace, { query: slow, time: noon, timeoutMs: 1, limit: 10 }, signal)
    await expect(asked).rejects.toMatchObject({ reason: 'QUERY_TIMEOUT' })
    expect((await running().query(workspace, 'count(http_requests_total)')).vector).toHaveLength(1)
  })

  it('ends with the signal of its caller', async () => {
    const { engine } = running()
    const workspace = await written(engine)
    const caller = new AbortController()
    const slow = 'sum(count_over_time(http_requests_total[1h:1ms]))'
    const asked = engine.query(workspace, { query: slow, time: noon, timeoutMs: 30_000, limit: 10 }, caller.signal)
    caller.abort(new Error('the caller has gone'))
    await expect(asked).rejects.toThrow('the caller has gone')
    expect((await running().query(workspace, 'count(http_requests_total)')).vector).toHaveLength(1)
  })

  it('that is wrong is refused with its reason', async () => {
    const asked = running().query(newWorkspace(), 'rate(up)')
    await expect(asked).rejects.toMatchObject({ reason: 'QUERY_TYPE_INVALID', code: 4_006_002 })
  })

  it('never shows samples that are older than the retention of their series', async () => {
    const { engine, query, setRetention } = testEngine(onTestFinished)
    const workspace = newWorkspace()
    const samples = (job: string) =>
      series({ __name__: 'g', job }, [
        [noon - 5 * day, 1],
        [noon - 2 * day, 1],
        [noon - 3 * hour, 1],
        [noon, 1],
      ])
    await engine.write(workspace, batch(samples('long'), samples('short'), samples('other')), limits)
    const selected = [
      { selector: '{job="long"}', retentionMs: 4 * day },
      { selector: '{job="short"}', retentionMs: 2 * hour },
      { selector: '{job=~"short|long"}', retentionMs: 10 * day },
    ]
    const counts = async () =>
      (await query(workspace, 'count_over_time(g[10d])')).vector.map(({ metric, value }) => [metric['job'], value])
    expect((await counts()).map(([, count]) => count)).toEqual(['4', '4', '4'])
    setRetention({ defaultMs: day, selected })
    const kept = [
      ['long', '3'],
      ['other', '2'],
      ['short', '1'],
    ]
    expect(await counts()).toEqual(kept)
    await engine.purge(workspace, { defaultMs: day, selected })
    expect(await counts()).toEqual(kept)
  })
})

describe('the threads of queries', () => {
  it.runIf(process.platform === 'linux')('have a lower priority than the others', async () => {
    const { query } = running()
    await query(newWorkspace(), '1')
    expect(nicenesses()).toContain(15)
  })
})

/** Returns the niceness of each thread of this process, the nineteenth field of its state (proc(5)). */
const nicenesses = (): readonly number[] =>
  readdirSync('/proc/self/task').flatMap(thread => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])]
    } catch {
      // A thread may end meanwhile.
      return []
    }
  })
