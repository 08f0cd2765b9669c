import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { traceFaults } from '../../../../../server/observability/native/traces/trace-checks.ts'
import { spanId, traceId } from '../../../../domain/observability/traces/sent-spans.ts'
import { afterTests } from '../../../../undo.ts'
import { changeByte, runSql, versionOf } from '../changed-bytes.ts'
import { dayMs, newWorkspace, noon } from '../engines.ts'
import { makeOlderSpans } from './older-spans.ts'
import { testTraceEngine, type TestTraceEngine } from './trace-engines.ts'

const root = (number: number, start: number) => ({ trace: traceId(number), id: spanId(1), start, service: 'api' })

/** The files of a trace of each of two days, which all tests copy, and an engine over the copies. */
let original: SignalPlaces
let running: TestTraceEngine

beforeAll(async () => {
  const { engine, folder, write } = testTraceEngine(afterTests)
  const workspace = newWorkspace()
  await write(workspace, root(1, noon - dayMs), root(2, noon))
  await engine.end()
  original = new SignalPlaces(join(folder, 'observability'), workspace, 'traces')
  running = testTraceEngine(afterTests)
})

/** Returns the files of a new workspace, and the file of the earlier day. */
function written() {
  const workspace = newWorkspace()
  const places = new SignalPlaces(join(running.folder, 'observability'), workspace, 'traces')
  cpSync(original.workspace, places.workspace, { recursive: true })
  return { workspace, places, file: join(places.folder, '2026-11-29.sqlite') }
}

const span = `the span ${spanId(1)} of the trace 1`

it.each<[string, (file: string) => void, string]>([
  ['the text of a span', file => changeByte(file, 'spans', 'text', 30), `${span} differs from its checksum`],
  ['the checksum of a span', file => changeByte(file, 'spans', 'text', 3), `${span} differs from its checksum`],
  [
    'the start of a span',
    file => runSql(file, 'UPDATE spans SET start = start + 1'),
    `${span} differs from its checksum`,
  ],
  ['the error of a span', file => runSql(file, 'UPDATE spans SET error = 1'), `${span} differs from its checksum`],
  [
    'the id of a span',
    file => changeByte(file, 'spans', 'span', 0),
    `the span 01${spanId(1).slice(2)} of the trace 1 differs from its checksum`,
  ],
  [
    'the text of a resource',
    file => changeByte(file, 'resources', 'text', 12),
    'the resource 1 differs from its checksum',
  ],
  [
    'the checksum of a resource',
    file => changeByte(file, 'resources', 'text', 0),
    'the resource 1 differs from its checksum',
  ],
  [
    'the text of a span without a checksum',
    file => runSql(file, `UPDATE spans SET text = '['`),
    `${span} is malformed`,
  ],
])('%s that has changed is named by the doctor, and refused by reads', async (_, change, fault) => {
  const { file, places, workspace } = written()
  expect([...traceFaults(places)]).toEqual([])
  change(file)
  expect([...traceFaults(places)]).toEqual([`has a damaged file: 2026-11-29.sqlite cannot be read: ${fault}`])
  const { lines, spansOf } = running
  await expect(spansOf(workspace, traceId(1))).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(lines.join('\n')).toContain(`${file} cannot be used: ${fault}`)
  expect(await spansOf(workspace, traceId(2))).toBe(1)
})

it('spans of the first version are read, and take more spans beside them', async () => {
  const { file, places, workspace } = written()
  makeOlderSpans(file)
  expect(versionOf(file)).toBe(1)
  expect([...traceFaults(places)]).toEqual([])
  expect(await running.spansOf(workspace, traceId(1))).toBe(1)
  await running.write(workspace, { ...root(1, noon - dayMs + 1), id: spanId(2), parent: spanId(1) })
  expect(await running.spansOf(workspace, traceId(1))).toBe(2)
  expect(versionOf(file)).toBe(2)
  expect([...traceFaults(places)]).toEqual([])
  expect(running.lines.filter(line => line.includes(workspace))).toEqual([])
})
