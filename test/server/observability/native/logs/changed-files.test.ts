import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { LogDayFile } from '../../../../../server/observability/native/logs/files/log-day-file.ts'
import { logFaults } from '../../../../../server/observability/native/logs/log-checks.ts'
import { LogCompaction } from '../../../../../server/observability/native/logs/writing/log-compaction.ts'
import { afterTests } from '../../../../undo.ts'
import { changeByte, runSql, versionOf } from '../changed-bytes.ts'
import { dayMs, newWorkspace, noon } from '../engines.ts'
import { at, entry, logBatch, logLimits, testLogEngine, type TestLogEngine } from './log-engines.ts'
import { makeOlderLogs } from './older-logs.ts'

const api = { service_name: 'api' }
const all = '{service_name="api"}'
const lines = ['the first line', 'the last line', 'the second line']

/** The files of a workspace with lines of two days, of which the earlier has one part of entries. */
interface Written {
  readonly workspace: string
  readonly places: SignalPlaces
  /** The file of the earlier day. */
  readonly file: string
}

/** The files that all tests copy, and an engine over the copies. */
let original: SignalPlaces
let running: TestLogEngine

beforeAll(async () => {
  const { engine, folder } = testLogEngine(afterTests)
  const workspace = newWorkspace()
  const metadata = { host: 'one' }
  const early = [entry(at(noon - dayMs), 'the first line', { metadata }), entry(at(noon - dayMs, 1), 'the second line')]
  await engine.write(workspace, logBatch([api, [...early, entry(at(noon), 'the last line')]]), logLimits)
  await engine.end()
  original = new SignalPlaces(join(folder, 'observability'), workspace, 'logs')
  running = testLogEngine(afterTests)
})

/** Returns the files of a new workspace of an engine over a folder. */
function written(folder = running.folder): Written {
  const workspace = newWorkspace()
  const places = new SignalPlaces(join(folder, 'observability'), workspace, 'logs')
  cpSync(original.workspace, places.workspace, { recursive: true })
  return { workspace, places, file: join(places.folder, '2026-11-29.sqlite') }
}

/** Moves the parts of a file into a block with a filter. */
function compact(path: string): void {
  const file = new LogDayFile(path)
  const compaction = new LogCompaction(file, fault => {
    throw fault
  })
  while (!compaction.step());
  file.close()
}

/** Returns the ids of the blocks of a file, and whether they are parts. */
function partsOf(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true, returnArrays: true })
  const rows = database.prepare('SELECT id, is_part FROM blocks ORDER BY id').all()
  database.close()
  return rows
}

/** The changes of a file, with the fault of the block. */
const changes: readonly (readonly [string, (file: string) => void, string])[] = [
  ['a byte of a line', file => changeByte(file, 'contents', 'entries', -1), 'differs from its checksum'],
  ['the number of entries', file => changeByte(file, 'contents', 'entries', 12), 'differs from its checksum'],
  ['the checksum', file => changeByte(file, 'contents', 'entries', 4), 'differs from its checksum'],
  ['the version', file => changeByte(file, 'contents', 'entries', 0), 'is malformed'],
  ['a byte of a detail', file => changeByte(file, 'contents', 'details', -4), 'differs from its checksum'],
  ['the stream', file => changeByte(file, 'blocks', 'runs', 4), 'differs from its checksum'],
  ['the checksum of the streams', file => changeByte(file, 'blocks', 'runs', 1), 'differs from its checksum'],
  ['a number', file => runSql(file, 'UPDATE blocks SET first_number = 0'), 'differs from its checksum'],
]

/** The bounds in the row of a block by which reads do not miss the block, but may leave out entries. */
const bounds = ['last_number = 9', 'first = first + 1', 'last = last - 1', 'first_ingest = 1', 'bytes = 1']

/** Returns the lines that a query answers from a time on, in the order of the alphabet. */
async function query(workspace: string, text = all, start = 0n): Promise<readonly string[]> {
  const { streams } = await running.query(workspace, text, { start })
  return streams.flatMap(({ entries }) => entries.map(({ line }) => line)).sort()
}

describe.each([
  ['part', () => {}],
  ['block', compact],
])('a %s of logs', (_, prepare) => {
  it.each(changes)(
    'of which %s has changed is named by the doctor, and refused by queries',
    async (__, change, fault) => {
      const { file, places, workspace } = written()
      prepare(file)
      change(file)
      const named = new RegExp(`^has a damaged file: 2026-11-29\\.sqlite cannot be read: the block 1 ${fault}$`)
      expect([...logFaults(places)]).toEqual([expect.stringMatching(named)])
      await expect(query(workspace)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
      expect(running.lines.join('\n')).toContain(`${file} cannot be used: the block 1 ${fault}`)
      expect(await query(workspace, all, at(noon))).toEqual(['the last line'])
    },
  )
})

it.each(bounds)('queries refuse a block whose row has other bounds: %s', async assignment => {
  const { file, workspace } = written()
  runSql(file, `UPDATE blocks SET ${assignment}`)
  await expect(query(workspace)).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  expect(running.lines.join('\n')).toContain(`${file} cannot be used: the block 1 differs from its checksum`)
})

describe('a filter that has changed', () => {
  it.each([
    ['its bits', 20],
    ['its checksum', 5],
    ['its version', 0],
  ])('in %s is named by the doctor, and refused by queries for a text', async (_, position) => {
    const { file, places, workspace } = written()
    compact(file)
    changeByte(file, 'filters', 'bits', position)
    const fault = 'the block 1 has a filter that differs from its checksum'
    expect([...logFaults(places)]).toEqual([`has a damaged file: 2026-11-29.sqlite cannot be read: ${fault}`])
    const found = query(workspace, `${all} |= "second"`)
    await expect(found).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    expect(running.lines.join('\n')).toContain(`${file} cannot be used: ${fault}`)
    // The lines themselves are sound.
    expect(await query(workspace)).toEqual(lines)
  })
})

it.each([
  ['the last number', 'last_number = 9'],
  ['the first time', 'first = first + 1'],
  ['the last time', 'last = last - 1'],
  ['the first ingest time', 'first_ingest = first_ingest + 1'],
  ['the last ingest time', 'last_ingest = last_ingest + 1'],
  ['the number of entries', 'entries = 1'],
  ['the bytes of lines', 'bytes = 1'],
])('the doctor finds a block whose row has changed in %s, also without a checksum', (_, assignment) => {
  const { file, places } = written()
  makeOlderLogs(file)
  runSql(file, `UPDATE blocks SET ${assignment}`)
  const fault = 'the block 1 has other bounds in its row than its entries have'
  expect([...logFaults(places)]).toEqual([`has a damaged file: 2026-11-29.sqlite cannot be read: ${fault}`])
})

it.each([
  ['parts', () => {}],
  ['blocks', compact],
])('%s of the first version are read, and take more entries beside them', async (_, prepare) => {
  const { file, places, workspace } = written()
  prepare(file)
  makeOlderLogs(file)
  expect(versionOf(file)).toBe(1)
  expect([...logFaults(places)]).toEqual([])
  expect(await query(workspace)).toEqual(lines)
  expect(await query(workspace, `${all} |= "second"`)).toEqual(['the second line'])
  await running.engine.write(workspace, logBatch([api, [entry(at(noon - dayMs, 2), 'the third line')]]), logLimits)
  const more = [...lines, 'the third line']
  expect(await query(workspace)).toEqual(more)
  expect(versionOf(file)).toBe(2)
  compact(file)
  expect([...logFaults(places)]).toEqual([])
  expect(await query(workspace)).toEqual(more)
  expect(running.lines.filter(line => line.includes(workspace))).toEqual([])
})

it('a part that has changed is left as it is by compactions, which move the entries of the others', async () => {
  const { engine, folder, lines: logged, setNow } = testLogEngine(onTestFinished)
  const { file, workspace } = written(folder)
  changeByte(file, 'contents', 'entries', -1)
  // Parts of more than an hour are compacted.
  setNow(noon + 2 * 3_600_000)
  const write = (time: bigint, line: string) => engine.write(workspace, logBatch([api, [entry(time, line)]]), logLimits)
  await write(at(noon - dayMs, 2), 'sound')
  await expect
    .poll(() => partsOf(file), { timeout: 60_000 })
    .toEqual([
      [1, 0],
      [2, 0],
    ])
  const fault = `${file} cannot be used: the block 1 differs from its checksum`
  await expect.poll(() => logged, { timeout: 60_000 }).toEqual([expect.stringContaining(fault)])
  expect(await write(at(noon - dayMs, 3), 'later')).toMatchObject({ accepted: 1 })
})

it('a part that has changed is left as it is by purges, which delete the entries of the others', async () => {
  const { engine, folder, lines: logged } = testLogEngine(onTestFinished)
  const { file, workspace } = written(folder)
  changeByte(file, 'contents', 'entries', -1)
  for (const [i, line] of ['first', 'second'].entries())
    await engine.write(workspace, logBatch([api, [entry(at(noon - dayMs, i + 2), line)]]), logLimits)
  expect(partsOf(file)).toHaveLength(3)
  const retention = { defaultMs: 30 * dayMs, selected: [{ selector: all, retentionMs: 3_600_000 }] }
  await engine.purge(workspace, retention)
  expect(partsOf(file)).toEqual([[1, 1]])
  expect(logged).toEqual([expect.stringContaining(`${file} cannot be used: the block 1 differs from its checksum`)])
})
