import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { platformWorkspaceId } from '../../../../../domain/ports/reserved.ts'
import { telemetryFolder } from '../../../../../server/observability/native/files/places.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { spanId, traceId } from '../../../../domain/observability/traces/sent-spans.ts'
import { dayMs, newWorkspace, noon } from '../engines.ts'
import { testTraceEngine } from './trace-engines.ts'

const root = (number: number, start: number, service = 'api') => ({
  trace: traceId(number),
  id: spanId(1),
  start,
  service,
})

it('a purge removes the traces that start before the retention of the service of their root span', async () => {
  const { engine, folder, lines, setNow, spansOf, write } = testTraceEngine(onTestFinished)
  const workspace = newWorkspace()
  await write(
    workspace,
    root(1, noon - 5 * dayMs),
    root(2, noon - 5 * dayMs, 'kept'),
    root(3, noon - 1000),
    { trace: traceId(4), id: spanId(2), parent: spanId(1), start: noon - 5 * dayMs, service: 'kept' },
    // A trace belongs to the day of its start, also if it has spans of later days.
    root(5, noon - 2 * dayMs),
    { trace: traceId(5), id: spanId(2), parent: spanId(1), start: noon - 1000 },
  )
  const counts = () => Promise.all([1, 2, 3, 4, 5].map(number => spansOf(workspace, traceId(number))))
  expect(await counts()).toEqual([1, 1, 1, 1, 2])
  const retention = { defaultMs: 3 * dayMs, selected: [{ selector: '{service_name="kept"}', retentionMs: 6 * dayMs }] }
  const { selected, total } = await engine.purge(workspace, retention)
  expect(await counts()).toEqual([0, 1, 1, 0, 2])
  expect(selected).toEqual([expect.any(Number)])
  expect(selected[0]).toBeGreaterThan(50)
  expect(total).toBeGreaterThan(selected[0] ?? 0)
  // Between two purges, expired traces are hidden.
  setNow(noon + 2 * dayMs)
  expect(await counts()).toEqual([0, 0, 1, 0, 0])
  await engine.purge(workspace, retention)
  expect(await counts()).toEqual([0, 0, 1, 0, 0])
  const days = readdirSync(join(folder, 'observability', workspace, 'traces')).filter(name => /^2.*sqlite$/.test(name))
  expect(days).toEqual(['2026-11-30.sqlite'])
  expect(lines).toEqual([])
})

it('a purge in steps of many traces keeps the spans that are written meanwhile', async () => {
  const { engine, lines, spansOf, write } = testTraceEngine(onTestFinished)
  const workspace = newWorkspace()
  const count = 450
  const expired = Array.from({ length: count }, (_, i) => root(i + 1, noon - 5 * dayMs + i))
  await write(
    workspace,
    ...expired,
    ...expired.map(({ trace }, i) => ({ trace, id: spanId(2), start: noon - 4 * dayMs + i })),
  )
  await write(workspace, root(count + 1, noon - dayMs))
  const purge = engine.purge(workspace, { defaultMs: 3 * dayMs, selected: [] })
  const later = Array.from({ length: 20 }, (_, i) => write(workspace, { ...root(i + 1, noon), id: spanId(3) }))
  await Promise.all([purge, ...later])
  const spans: number[] = []
  for (let i = 0; i <= count; i += 1) spans.push(await spansOf(workspace, traceId(i + 1)))
  // A late span of a trace that was not purged yet goes with it, unless the purge has passed.
  expect(spans.slice(0, 20).every(each => each === 0 || each === 1)).toBe(true)
  expect(spans.slice(20)).toEqual([...Array.from({ length: count - 20 }, () => 0), 1])
  expect(lines).toEqual([])
})

it('reads show what the present retention keeps, and again what a longer one keeps', async () => {
  const { setRetention, spansOf, write } = testTraceEngine(onTestFinished)
  const workspace = newWorkspace()
  await write(workspace, root(1, noon - 2 * dayMs), root(2, noon))
  const counts = () => Promise.all([1, 2].map(number => spansOf(workspace, traceId(number))))
  expect(await counts()).toEqual([1, 1])
  setRetention({ defaultMs: dayMs, selected: [] })
  expect(await counts()).toEqual([0, 1])
  setRetention({ defaultMs: 3 * dayMs, selected: [] })
  expect(await counts()).toEqual([1, 1])
})

it('spans outside of the times that are taken are refused by their reasons', async () => {
  const { write } = testTraceEngine(onTestFinished)
  const result = await write(
    newWorkspace(),
    root(1, noon - 8 * dayMs),
    root(2, noon + 700_000),
    root(3, noon + 500_000),
    { ...root(4, noon), id: '0000000000000000' },
    { ...root(5, noon), trace: '12' },
  )
  expect(result).toMatchObject({
    accepted: 1,
    rejections: { future: 1, too_old: 1, span_id_invalid: 1, trace_id_invalid: 1 },
  })
  expect(result.message).toBe('span "GET /" has no span id of 8 bytes')
})

it('a dropped workspace leaves nothing and takes nothing more', async () => {
  const { engine, folder, spansOf, write } = testTraceEngine(onTestFinished)
  const workspace = newWorkspace()
  await write(workspace, root(1, noon))
  expect(await spansOf(workspace, traceId(1))).toBe(1)
  await engine.drop(workspace)
  expect(existsSync(join(folder, 'observability', workspace))).toBe(false)
  expect(await spansOf(workspace, traceId(1))).toBe(0)
  await expect(write(workspace, root(2, noon))).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
})

it('a new engine over the same files answers what was written', async () => {
  const first = testTraceEngine(onTestFinished)
  const workspace = newWorkspace()
  await first.write(workspace, root(1, noon), { ...root(1, noon), id: spanId(2), parent: spanId(1) })
  await first.engine.end()
  const next = testTraceEngine(onTestFinished, first.folder)
  expect(await next.spansOf(workspace, traceId(1))).toBe(2)
  await next.write(workspace, root(2, noon), { ...root(1, noon), id: spanId(3), parent: spanId(1) })
  expect(await next.spansOf(workspace, traceId(1))).toBe(3)
  expect(await next.spansOf(workspace, traceId(2))).toBe(1)
})

it.each([
  [
    'a malformed span',
    '2026-11-30.sqlite',
    `UPDATE spans SET text = '{'`,
    /file: 2026-11-30\.sqlite cannot be read: the span .* of the trace 1 differs from its checksum/,
  ],
  [
    'a lost resource',
    '2026-11-30.sqlite',
    'DELETE FROM resources',
    /has 1 spans in 2026-11-30.* resources are missing/,
  ],
  ['a lost trace', 'index.sqlite', 'DELETE FROM sqlite_sequence', /has spans of a trace 1 in .*; the index has 0/],
])('the doctor finds %s', async (_, name, sql, message) => {
  const platform = await testPlatform()
  const { dataDir } = platform.config
  const { engine, folder, write } = testTraceEngine(onTestFinished, dataDir)
  await write(platformWorkspaceId, root(1, noon))
  await engine.end()
  expect(telemetryFolder(folder)).toBe(telemetryFolder(dataDir))
  expect(await doctorFindings(platform.config)).toEqual([])
  const database = new DatabaseSync(join(telemetryFolder(dataDir), platformWorkspaceId, 'traces', name))
  database.exec(sql)
  database.close()
  expect(await doctorFindings(platform.config)).toEqual([expect.stringMatching(message)])
})
