import { describe, expect, it, onTestFinished } from 'vitest'
import { shared } from '../../../shared.ts'
import { batch, limits, newWorkspace, noon, series, testEngine, type Sample } from './engines.ts'

const minute = 60_000
const hour = 3_600_000

/** An engine for tests that need no other; each test has a workspace of its own. */
const running = shared(async later => testEngine(later))

describe('writes of metrics', () => {
  it('are answered by queries of their workspace alone', async () => {
    const { engine, query } = running()
    const workspace = newWorkspace()
    const written = batch(
      series({ __name__: 'c_total', a: 'x' }, [
        [noon - minute, 1],
        [noon, 2.5],
      ]),
      series({ __name__: 'c_total', a: 'y' }, [[noon, Number.POSITIVE_INFINITY]]),
    )
    expect(await engine.write(workspace, written, limits)).toEqual({ accepted: 3, rejections: {}, message: '' })
    const { result_type, vector } = await query(workspace, 'c_total')
    const time = '2026-11-30T10:00:00.000Z'
    expect(result_type).toBe('OBSERVABILITY_RESULT_TYPE_VECTOR')
    expect(vector).toEqual([
      { metric: { __name__: 'c_total', a: 'x' }, time, value: '2.5' },
      { metric: { __name__: 'c_total', a: 'y' }, time, value: '+Inf' },
    ])
    expect((await query(newWorkspace(), 'c_total', noon)).vector).toEqual([])
  })

  it('keep the bits of NaN and of stale marks', async () => {
    const { engine, query } = running()
    const workspace = newWorkspace()
    const written = batch(
      series({ __name__: 'ended' }, [
        [noon - minute, 1],
        [noon, 'stale'],
      ]),
      series({ __name__: 'undefined' }, [
        [noon - minute, 1],
        [noon, Number.NaN],
      ]),
    )
    await engine.write(workspace, written, limits)
    expect((await query(workspace, 'ended')).vector).toEqual([])
    expect((await query(workspace, 'undefined')).vector.map(({ value }) => value)).toEqual(['NaN'])
    expect((await query(workspace, 'ended', noon - 1)).vector.map(({ value }) => value)).toEqual(['1'])
  })

  it.each<[string, Sample, string]>([
    ['more than 10 minutes in the future', [noon + 10 * minute + 1, 1], 'future'],
    ['older than the retention', [noon - limits.retentionMs - 1, 1], 'too_old'],
    ['more than an hour before the newest', [noon - hour - 1, 1], 'out_of_order'],
    ['with another value at the newest time', [noon, 2], 'duplicate'],
    ['with another value at an earlier time', [noon - minute, 2], 'duplicate'],
  ])('refuse a sample %s', async (_, refused, reason) => {
    const { engine, query } = running()
    const workspace = newWorkspace()
    const labels = { __name__: 'up', job: 'api' }
    const first = series(labels, [
      [noon - minute, 1],
      [noon, 1],
    ])
    await engine.write(workspace, batch(first), limits)
    const result = await engine.write(workspace, batch(series(labels, [refused])), limits)
    expect(result).toMatchObject({ accepted: 0, rejections: { [reason]: 1 } })
    expect(result.message).toMatch(/^up has /)
    expect((await query(workspace, 'count_over_time(up[2h])')).vector.map(({ value }) => value)).toEqual(['2'])
    expect((await query(workspace, 'up')).vector.map(({ value }) => value)).toEqual(['1'])
  })

  it.each<[string, Sample]>([
    ['10 minutes in the future', [noon + 10 * minute, 1]],
    ['an hour before the newest', [noon - hour, 1]],
    ['between others', [noon - 30_000, 1]],
    ['that is known already', [noon - minute, 1]],
    ['that is the newest already', [noon, 1]],
  ])('take a sample %s', async (_, taken) => {
    const { engine } = running()
    const workspace = newWorkspace()
    const labels = { __name__: 'up' }
    const first = series(labels, [
      [noon - minute, 1],
      [noon, 1],
    ])
    await engine.write(workspace, batch(first), limits)
    const result = await engine.write(workspace, batch(series(labels, [taken])), limits)
    expect(result).toEqual({ accepted: 1, rejections: {}, message: '' })
  })

  it('refuse samples of new series above the limit of active series, and no others', async () => {
    const { engine, query, setNow } = running()
    onTestFinished(() => setNow(noon))
    const workspace = newWorkspace()
    const few = { ...limits, activeSeries: 2 }
    const named = (name: string, time = noon) => series({ __name__: name }, [[time, 1]])
    await engine.write(workspace, batch(named('a'), named('b')), few)
    const result = await engine.write(workspace, batch(named('c'), named('a', noon + 1)), few)
    expect(result).toMatchObject({ accepted: 1, rejections: { series_limit: 1 } })
    expect(await engine.usage(workspace)).toEqual({ activeSeries: 2, samplesLastMinute: 3 })
    setNow(noon + hour + minute)
    expect(await engine.usage(workspace)).toEqual({ activeSeries: 0, samplesLastMinute: 0 })
    expect(await engine.write(workspace, batch(named('c', noon + hour)), few)).toMatchObject({ accepted: 1 })
    expect((await query(workspace, 'c')).vector).toHaveLength(1)
  })

  it('are there after a new start, with the order of each series', async () => {
    const { engine, folder } = testEngine(onTestFinished)
    const workspace = newWorkspace()
    const labels = { __name__: 'up' }
    await engine.write(workspace, batch(series(labels, [[noon, 1]])), limits)
    await engine.end()
    const again = testEngine(onTestFinished, folder)
    const values = (await again.query(workspace, 'up')).vector.map(({ value }) => value)
    expect(values).toEqual(['1'])
    const repeated = await again.engine.write(
      workspace,
      batch(
        series(labels, [
          [noon, 1],
          [noon + 1, 2],
        ]),
        series(labels, [[noon - hour - 1, 2]]),
      ),
      limits,
    )
    expect(repeated).toMatchObject({ accepted: 2, rejections: { out_of_order: 1 } })
  })

  it('reach the files of the days of their samples', async () => {
    const { engine, query } = running()
    const workspace = newWorkspace()
    const midnight = Date.UTC(2026, 10, 30)
    const samples: Sample[] = []
    for (let i = -5; i < 5; i += 1) samples.push([midnight + i * minute, i])
    await engine.write(workspace, batch(series({ __name__: 'g' }, samples)), limits)
    const { vector } = await query(workspace, 'sum_over_time(g[10m])', midnight + 4 * minute)
    expect(vector.map(({ value }) => value)).toEqual(['-5'])
  })
})

describe('an engine without the lease', () => {
  it('answers ENGINE_UNAVAILABLE', async () => {
    const { engine, loseLease, query } = testEngine(onTestFinished)
    const workspace = newWorkspace()
    await engine.write(workspace, batch(series({ __name__: 'up' }, [[noon, 1]])), limits)
    loseLease()
    await expect(query(workspace, 'up')).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    await expect(engine.usage(workspace)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  })
})
