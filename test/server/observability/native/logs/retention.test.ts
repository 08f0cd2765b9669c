import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { logFaults } from '../../../../../server/observability/native/logs/log-checks.ts'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { dayMs, newWorkspace, noon } from '../engines.ts'
import { at, entry, logBatch, logLimits, testLogEngine } from './log-engines.ts'

const { signal } = new AbortController()

const times = [noon - 20 * dayMs, noon - 3 * dayMs, noon - dayMs, noon]

/** An engine with lines of four days in three streams; each line has the name of its stream and its age in days. */
async function written() {
  const running = testLogEngine(onTestFinished)
  const workspace = newWorkspace()
  for (const time of times) {
    const age = Math.round((noon - time) / dayMs)
    const streams = ['kept', 'short', 'both'].map(
      job => [{ service_name: 'api', job }, [entry(at(time), `${job} ${age}`)]] as const,
    )
    await running.engine.write(workspace, logBatch(...streams), logLimits)
  }
  return { ...running, workspace }
}

const retention = { defaultMs: 30 * dayMs, selected: [{ selector: '{job=~"short|both"}', retentionMs: 2 * dayMs }] }

it('a purge leaves exactly the entries that the policies of their streams keep, and counts the others for tails', async () => {
  const { engine, folder, linesOf, workspace } = await written()
  const bytes = await engine.purge(workspace, retention)
  expect(bytes.total).toBeGreaterThan(0)
  expect(bytes.selected[0]).toBeGreaterThan(0)
  const kept = ['kept 20', 'kept 3', 'both 1', 'kept 1', 'short 1', 'both 0', 'kept 0', 'short 0']
  expect((await linesOf(workspace, '{service_name="api"}')).toSorted()).toEqual(kept.toSorted())
  expect(await engine.streams(workspace, { from: 0n, before: at(noon + 1), now: noon }, signal)).toMatchObject([
    { labels: { job: 'kept' }, entry_count: 4, first_time: '2026-11-10T10:00:00.000000000Z' },
    { labels: { job: 'short' }, entry_count: 2, first_time: '2026-11-29T10:00:00.000000000Z' },
    { labels: { job: 'both' }, entry_count: 2, bytes: 12 },
  ])
  const read = { query: '{service_name="api"}', after: 0, last: 12, limit: 100 }
  const page = await engine.tail(workspace, read, signal)
  expect(page).toMatchObject({ position: 12, skipped: 4 })
  expect(page.entries).toHaveLength(8)
  expect([...logFaults(new SignalPlaces(join(folder, 'observability'), workspace, 'logs'))]).toEqual([])
})

it('a purge of all entries deletes the files and streams, and ingest numbers go on', async () => {
  const first = await written()
  const { engine, folder, setNow, workspace } = first
  setNow(noon + 40 * dayMs)
  await engine.purge(workspace, retention)
  expect(await engine.usage(workspace)).toMatchObject({ streams: 0 })
  expect(existsSync(join(folder, 'observability', workspace, 'logs', '2026-11-30.sqlite'))).toBe(false)
  await engine.end()
  const again = testLogEngine(onTestFinished, folder)
  const { lastNumber } = await again.engine.write(
    workspace,
    logBatch([{ a: 'b' }, [entry(at(noon), 'new')]]),
    logLimits,
  )
  expect(lastNumber).toBe(13)
})

it('entries that are older than the stored retention are not shown before they are purged', async () => {
  const { engine, linesOf, setNow, workspace } = await written()
  await engine.purge(workspace, { defaultMs: 30 * dayMs, selected: [] })
  setNow(noon + 28 * dayMs)
  expect(await linesOf(workspace, '{job="kept"}')).toEqual(['kept 1', 'kept 0'])
  const [stream] = await engine.streams(workspace, { from: 0n, before: at(noon + dayMs), now: noon }, signal)
  expect(stream).toMatchObject({ entry_count: 2, first_time: '2026-11-29T10:00:00.000000000Z' })
})

it('reads show what the present retention keeps, and again what a longer one keeps', async () => {
  const { linesOf, setRetention, workspace } = await written()
  const shown = () => linesOf(workspace, '{job="short"}')
  expect(await shown()).toEqual(['short 20', 'short 3', 'short 1', 'short 0'])
  setRetention(retention)
  expect(await shown()).toEqual(['short 1', 'short 0'])
  setRetention({ defaultMs: 10 * dayMs, selected: [] })
  expect(await shown()).toEqual(['short 3', 'short 1', 'short 0'])
})

it('a drop deletes all logs of a workspace, and nothing of others', async () => {
  const { engine, folder, linesOf, workspace } = await written()
  const other = newWorkspace()
  await engine.write(other, logBatch([{ a: 'b' }, [entry(at(noon), 'stays')]]), logLimits)
  await engine.drop(workspace)
  expect(existsSync(join(folder, 'observability', workspace))).toBe(false)
  expect(await linesOf(workspace, '{service_name="api"}')).toEqual([])
  expect(await linesOf(other, '{a="b"}')).toEqual(['stays'])
  const late = engine.write(workspace, logBatch([{ a: 'b' }, [entry(at(noon), 'late')]]), logLimits)
  await expect(late).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
})
