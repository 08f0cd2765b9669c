import { existsSync, readdirSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, describe, it, onTestFinished } from 'vitest'
import { batch, limits, newWorkspace, noon, series, testEngine, type TestEngine } from './engines.ts'

const day = 86_400_000

const { signal } = new AbortController()

/** Writes a sample in each of three days, whose files are then as a killed server leaves them. */
async function written({ engine }: TestEngine): Promise<string> {
  const workspace = newWorkspace()
  const samples = series({ __name__: 'g' }, [
    [noon - 2 * day, 1],
    [noon - day, 2],
    [noon, 3],
  ])
  await engine.write(workspace, batch(samples), limits)
  return workspace
}

const folderOf = ({ folder }: TestEngine, workspace: string): string =>
  join(folder, 'observability', workspace, 'metrics')

/** Returns the values of all samples. */
async function valuesOf(running: TestEngine, workspace: string): Promise<readonly string[]> {
  const { matrix } = await running.query(workspace, 'g[10d]')
  return matrix.flatMap(({ points }) => points.map(({ value }) => value))
}

describe('the files of metrics', () => {
  it('are for their owner only', async () => {
    const running = testEngine(onTestFinished)
    const folder = folderOf(running, await written(running))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
  })

  const setUserVersion = (file: string): void => {
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 99')
    database.close()
  }

  it.each<[string, (file: string) => void, RegExp]>([
    [
      'is no file of SQLite',
      file => writeFileSync(file, 'something else'),
      /2026-11-29\.sqlite cannot be used: file is not a database/,
    ],
    ['is empty', file => truncateSync(file, 0), /2026-11-29\.sqlite is no file of telemetry/],
    [
      'is cut off',
      file => truncateSync(file, 20_000),
      /2026-11-29\.sqlite cannot be used: database disk image is malformed/,
    ],
    ['has a newer format', setUserVersion, /2026-11-29\.sqlite has the format 99, and this server reads 2/],
  ])('of other days are read, and can be written, while that of a day %s', async (_, damage, fault) => {
    const first = testEngine(onTestFinished)
    const workspace = await written(first)
    await first.engine.end()
    damage(join(folderOf(first, workspace), '2026-11-29.sqlite'))
    const again = testEngine(onTestFinished, first.folder)
    expect(await valuesOf(again, workspace)).toEqual(['1', '3'])
    expect(again.lines.join('\n')).toMatch(fault)
    again.setNow(noon + 1)
    const more = batch(series({ __name__: 'g' }, [[noon + 1, 4]]))
    expect(await again.engine.write(workspace, more, limits)).toMatchObject({ accepted: 1 })
    const late = batch(series({ __name__: 'other' }, [[noon - day, 4]]))
    await expect(again.engine.write(workspace, late, limits)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    expect(await valuesOf(again, workspace)).toEqual(['1', '3', '4'])
  })

  it.each([
    ['value', 25, 'a chunk differs from its checksum'],
    ['version', 1, 'a chunk is malformed'],
  ])('refuse a query over a chunk whose %s has changed on the disk, and name the file', async (_, at, fault) => {
    const first = testEngine(onTestFinished)
    const workspace = await written(first)
    // The purge moves the samples of the oldest days from their parts to chunks.
    const selected = [{ selector: '{__name__="none"}', retentionMs: 1 }]
    await first.engine.purge(workspace, { defaultMs: 10 * day, selected })
    await first.engine.end()
    const database = new DatabaseSync(join(folderOf(first, workspace), '2026-11-28.sqlite'))
    const changed = `substr(bytes, 1, ${at - 1}) || x'07' || substr(bytes, ${at + 1})`
    database.exec(`UPDATE chunks SET bytes = CAST(${changed} AS BLOB)`)
    database.close()
    const again = testEngine(onTestFinished, first.folder)
    await expect(valuesOf(again, workspace)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    expect(again.lines.join('\n')).toContain(`2026-11-28.sqlite cannot be used: ${fault}`)
    expect((await again.query(workspace, 'g')).vector.map(({ value }) => value)).toEqual(['3'])
  })

  it('of other workspaces are read and written while an index is damaged', async () => {
    const first = testEngine(onTestFinished)
    const [broken, good] = [await written(first), await written(first)]
    await first.engine.end()
    writeFileSync(join(folderOf(first, broken), 'index.sqlite'), 'something else')
    const again = testEngine(onTestFinished, first.folder)
    await expect(valuesOf(again, broken)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    await expect(written(again)).resolves.toBeDefined()
    expect(await valuesOf(again, good)).toEqual(['1', '2', '3'])
    expect(again.lines.join('\n')).toMatch(/index\.sqlite cannot be used/)
  })
})

describe('a purge', () => {
  it('deletes the files of the days before the retention, and the series without newer samples', async () => {
    const running = testEngine(onTestFinished)
    const { engine } = running
    const workspace = await written(running)
    await engine.write(workspace, batch(series({ __name__: 'old' }, [[noon - 2 * day, 1]])), limits)
    const left = await engine.purge(workspace, { defaultMs: day, selected: [] })
    const names = readdirSync(folderOf(running, workspace)).filter(name => name.endsWith('.sqlite'))
    expect(names).toEqual(['2026-11-29.sqlite', '2026-11-30.sqlite', 'index.sqlite'])
    expect(left.total).toBeGreaterThan(10_000)
    expect(await valuesOf(running, workspace)).toEqual(['2', '3'])
    expect((await engine.descriptors(workspace, signal)).map(({ name }) => name)).toEqual(['g'])
    await engine.write(workspace, batch(series({ __name__: 'old' }, [[noon, 7]])), limits)
    expect((await running.query(workspace, 'old')).vector.map(({ value }) => value)).toEqual(['7'])
  })

  it('deletes the rows of series with a shorter retention from the files of other series', async () => {
    const running = testEngine(onTestFinished)
    const { engine } = running
    const workspace = await written(running)
    const short = series({ __name__: 'short' }, [
      [noon - 2 * day, 1],
      [noon, 1],
    ])
    await engine.write(workspace, batch(short), limits)
    const selected = [{ selector: 'short', retentionMs: 3_600_000 }]
    await engine.purge(workspace, { defaultMs: 10 * day, selected })
    await engine.end()
    const file = new DatabaseSync(join(folderOf(running, workspace), '2026-11-28.sqlite'), { readOnly: true })
    expect(file.prepare('SELECT series, (SELECT count(*) FROM parts) AS parts FROM chunks').all()).toEqual([
      { series: 1, parts: 0 },
    ])
    file.close()
    expect(await valuesOf(running, workspace)).toEqual(['1', '2', '3'])
  })

  it('lets writes go on, which keep their series', async () => {
    const running = testEngine(onTestFinished)
    const { engine } = running
    const workspace = newWorkspace()
    const named = (i: number, time: number) => series({ __name__: 'g', i: String(i) }, [[time, i]])
    const all = Array.from({ length: 10_000 }, (_, i) => i)
    await engine.write(workspace, batch(...all.map(i => named(i, noon - 3 * day))), limits)
    const order: string[] = []
    const selected = Array.from({ length: 20 }, (_, i) => ({ selector: `{i=~"x${i}.*y"}`, retentionMs: 10 * day }))
    const purged = engine.purge(workspace, { defaultMs: day, selected }).then(() => order.push('purge'))
    for (let i = 0; i < 5; i += 1) {
      await engine.write(workspace, batch(named(9_990 + i, noon + i)), limits)
      order.push('write')
    }
    await purged
    expect(order[0]).toBe('write')
    expect((await running.query(workspace, 'g', noon + 1000)).vector.map(({ metric }) => metric['i'])).toEqual(
      all.slice(9_990, 9_995).map(String),
    )
    const kept = await engine.labels(workspace, { match: [], label: 'i' }, signal)
    expect(kept.find(({ name }) => name === 'i')?.value_count).toBe(5)
  })

  it('ends with the engine, and the next one does the rest', async () => {
    const first = testEngine(onTestFinished)
    const workspace = newWorkspace()
    const all = Array.from({ length: 10_000 }, (_, i) => series({ __name__: 'g', i: String(i) }, [[noon - 3 * day, i]]))
    await first.engine.write(workspace, batch(...all, series({ __name__: 'g' }, [[noon, 1]])), limits)
    const purged = first.engine.purge(workspace, { defaultMs: day, selected: [] }).catch((error: unknown) => error)
    // The write is answered after the purge has begun.
    await first.engine.write(workspace, batch(series({ __name__: 'g' }, [[noon + 1, 1]])), limits)
    await first.engine.end()
    const outcome = await purged
    if (outcome instanceof Error) expect(outcome).toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    else expect(outcome).toMatchObject({ selected: [] })
    const again = testEngine(onTestFinished, first.folder)
    await again.engine.purge(workspace, { defaultMs: day, selected: [] })
    const names = readdirSync(folderOf(again, workspace)).filter(name => name.endsWith('.sqlite'))
    expect(names).toEqual(['2026-11-30.sqlite', 'index.sqlite'])
    expect((await again.engine.descriptors(workspace, signal)).map(({ series_count }) => series_count)).toEqual([1])
  })

  it('ends with the drop of its workspace', async () => {
    const { engine, folder } = testEngine(onTestFinished)
    const workspace = newWorkspace()
    const all = Array.from({ length: 10_000 }, (_, i) => series({ __name__: 'g', i: String(i) }, [[noon - 3 * day, i]]))
    await engine.write(workspace, batch(...all), limits)
    const retention = { defaultMs: day, selected: [] }
    const purged = engine.purge(workspace, retention)
    await expect(engine.purge(workspace, retention)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    await engine.drop(workspace)
    expect(await purged).toMatchObject({ selected: [] })
    expect(readdirSync(join(folder, 'observability'))).toEqual([])
  })

  it('refuses a selector that cannot be parsed, and deletes nothing', async () => {
    const running = testEngine(onTestFinished)
    const workspace = await written(running)
    const selected = [{ selector: '{', retentionMs: 1 }]
    const purged = running.engine.purge(workspace, { defaultMs: 1, selected })
    await expect(purged).rejects.toMatchObject({ reason: 'QUERY_SYNTAX_INVALID' })
    expect(await valuesOf(running, workspace)).toEqual(['1', '2', '3'])
  })

  it('of a workspace without metrics makes no file', async () => {
    const running = testEngine(onTestFinished)
    const workspace = newWorkspace()
    expect(await running.engine.purge(workspace, { defaultMs: day, selected: [] })).toEqual({ total: 0, selected: [] })
    expect(await running.engine.usage(workspace)).toEqual({ activeSeries: 0, samplesLastMinute: 0 })
    expect(existsSync(folderOf(running, workspace))).toBe(false)
  })
})

describe('a drop', () => {
  it('deletes all telemetry of a workspace, and wins over writes that run meanwhile', async () => {
    const running = testEngine(onTestFinished)
    const { engine } = running
    const [workspace, other] = [await written(running), await written(running)]
    expect(await valuesOf(running, workspace)).toHaveLength(3)
    const write = (value: number) =>
      engine.write(workspace, batch(series({ __name__: 'g' }, [[noon + value, value]])), limits)
    const before = write(4)
    const dropped = engine.drop(workspace)
    await expect(write(5)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    await Promise.allSettled([before, dropped])
    await dropped
    expect(existsSync(join(running.folder, 'observability', workspace))).toBe(false)
    expect(await valuesOf(running, workspace)).toEqual([])
    expect(await valuesOf(running, other)).toHaveLength(3)
    await engine.drop(workspace)
  })

  it('that was killed is ended by the next start', async () => {
    const first = testEngine(onTestFinished)
    const workspace = await written(first)
    await first.engine.end()
    const root = join(first.folder, 'observability')
    renameSync(join(root, workspace), join(root, `dropped-metrics-${workspace}`))
    const again = testEngine(onTestFinished, first.folder)
    await written(again)
    expect(readdirSync(root).filter(name => name.startsWith('dropped'))).toEqual([])
  })
})
