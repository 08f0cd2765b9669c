import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { logFaults } from '../../../../../server/observability/native/logs/log-checks.ts'
import { runSql } from '../changed-bytes.ts'
import { newWorkspace, noon } from '../engines.ts'
import { at, entry, logBatch, logLimits, testLogEngine } from './log-engines.ts'

/** Writes two entries of a stream, and returns the places of their files. */
async function written(): Promise<SignalPlaces> {
  const { engine, folder } = testLogEngine(onTestFinished)
  const workspace = newWorkspace()
  await engine.write(workspace, logBatch([{ a: 'b' }, [entry(at(noon), 'one'), entry(at(noon, 1), 'two')]]), logLimits)
  await engine.end()
  return new SignalPlaces(join(folder, 'observability'), workspace, 'logs')
}

const day = (places: SignalPlaces): string => join(places.folder, '2026-11-30.sqlite')

it('the doctor finds nothing in the files of logs as the engine leaves them', async () => {
  expect([...logFaults(await written())]).toEqual([])
})

it.each<[string, (places: SignalPlaces) => void, RegExp]>([
  [
    'sums that differ from the entries',
    places => runSql(day(places), 'UPDATE streams SET entries = 3'),
    /^has a file 2026-11-30\.sqlite in which the stream 1 has 2 entries of 6 bytes instead of 3 of 6$/,
  ],
  [
    'entries that are not counted',
    places => runSql(day(places), 'DELETE FROM streams'),
    /in which the stream 1 has entries that are not counted$/,
  ],
  [
    'streams that the index has never had',
    places => runSql(places.index, 'DELETE FROM streams; DELETE FROM sqlite_sequence'),
    /^has entries of a stream 1 in 2026-11-30\.sqlite; the index has 0$/,
  ],
  [
    'a block whose bytes are no block',
    places => runSql(day(places), `UPDATE contents SET entries = x'00112233'`),
    /^has a damaged file: 2026-11-30\.sqlite cannot be read: the block 1 is malformed$/,
  ],
  [
    'a block without content',
    places => runSql(day(places), 'DELETE FROM contents'),
    /^has a damaged file: 2026-11-30\.sqlite cannot be read: the block 1 has no content$/,
  ],
  ['a file that is cut off', places => truncateSync(day(places), 20_000), /^has a damaged file: 2026-11-30\.sqlite /],
])('the doctor finds %s', async (_, tamper, message) => {
  const places = await written()
  tamper(places)
  expect([...logFaults(places)]).toEqual([expect.stringMatching(message)])
})
