import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { telemetryFolder } from '../../../../server/observability/native/files/places.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { runSql } from './changed-bytes.ts'
import { batch, dayMs, limits, newWorkspace, noon, series, testEngine } from './engines.ts'

/** Returns the SQL of `bytes` with the byte at a position, from 1, replaced by 7. */
const withChangedByte = (at: number): string =>
  `CAST(substr(bytes, 1, ${at - 1}) || x'07' || substr(bytes, ${at + 1}) AS BLOB)`

/** The damages of files, with the messages of the doctor. */
const damages: readonly (readonly [string, (folder: string) => void, RegExp])[] = [
  [
    'a day that is cut off',
    folder => truncateSync(join(folder, '2026-11-29.sqlite'), 20_000),
    /file: 2026-11-29\.sqlite /,
  ],
  ['a day that is empty', folder => truncateSync(join(folder, '2026-11-29.sqlite'), 0), /is no file of telemetry/],
  [
    'a malformed part',
    folder => runSql(join(folder, '2026-11-30.sqlite'), 'UPDATE parts SET bytes = zeroblob(20)'),
    /file: 2026-11-30\.sqlite cannot be read: a part is malformed/,
  ],
  [
    'a malformed chunk',
    folder => runSql(join(folder, '2026-11-28.sqlite'), 'UPDATE chunks SET bytes = zeroblob(20)'),
    /file: 2026-11-28\.sqlite cannot be read: a chunk is malformed/,
  ],
  [
    'a changed value in a part',
    folder => runSql(join(folder, '2026-11-30.sqlite'), `UPDATE parts SET bytes = ${withChangedByte(40)}`),
    /file: 2026-11-30\.sqlite cannot be read: a part differs from its checksum/,
  ],
  [
    'a changed value in a chunk',
    folder => runSql(join(folder, '2026-11-28.sqlite'), `UPDATE chunks SET bytes = ${withChangedByte(25)}`),
    /file: 2026-11-28\.sqlite cannot be read: a chunk differs from its checksum/,
  ],
  [
    'a chunk with other times than its row',
    folder => runSql(join(folder, '2026-11-28.sqlite'), 'UPDATE chunks SET last = last + 1'),
    /file: 2026-11-28\.sqlite cannot be read: a chunk has other times than its row says/,
  ],
  [
    'a part with other times than its row',
    folder => runSql(join(folder, '2026-11-30.sqlite'), 'UPDATE parts SET first = first - 1'),
    /file: 2026-11-30\.sqlite cannot be read: a part has other times than its row says/,
  ],
  [
    'a newer format',
    folder => runSql(join(folder, '2026-11-30.sqlite'), 'PRAGMA user_version = 3'),
    /2026-11-30\.sqlite has the format 3, and this server reads 2; use a newer server/,
  ],
  [
    'a foreign index',
    folder => writeFileSync(join(folder, 'index.sqlite'), 'text'),
    /file: index\.sqlite cannot be used/,
  ],
  ['a missing index', folder => rmSync(join(folder, 'index.sqlite')), /has days, but no index of series/],
  [
    'malformed labels',
    folder => runSql(join(folder, 'index.sqlite'), `UPDATE series SET labels = '{}'`),
    /file: index\.sqlite cannot be read: the labels of a series are malformed/,
  ],
  [
    'changed labels',
    folder => runSql(join(folder, 'index.sqlite'), `UPDATE series SET labels = replace(labels, '"b"', '"d"')`),
    /file: index\.sqlite cannot be read: a series has other labels than its hash says/,
  ],
  [
    'an index of fewer series',
    folder => runSql(join(folder, 'index.sqlite'), 'UPDATE sqlite_sequence SET seq = 2'),
    /has samples of a series 3 in 2026-11-28\.sqlite; the index has 2/,
  ],
]

it.each(damages)('the doctor names %s', async (_, damage, message) => {
  const { config } = await testPlatform()
  const { engine } = testEngine(onTestFinished, config.dataDir)
  const named = (name: string, days: number) => series({ __name__: name }, [[noon - days * dayMs, 1]])
  await engine.write(platformWorkspaceId, batch(named('a', 0), named('b', 1), named('b', 0), named('c', 2)), limits)
  // The purge moves the samples of the oldest day from their part to chunks.
  const selected = [{ selector: '{__name__="d"}', retentionMs: 1 }]
  await engine.purge(platformWorkspaceId, { defaultMs: 10 * dayMs, selected })
  await engine.end()
  expect(await doctorFindings(config)).toEqual([])
  damage(join(telemetryFolder(config.dataDir), platformWorkspaceId, 'metrics'))
  const type = `observability.metrics ${platformWorkspaceId}: `
  expect(await doctorFindings(config)).toEqual([expect.stringMatching(new RegExp(`^${type}.*${message.source}`))])
})

it('the doctor names the telemetry of a workspace that the store does not have', async () => {
  const { config } = await testPlatform()
  const workspace = newWorkspace()
  mkdirSync(join(telemetryFolder(config.dataDir), workspace), { recursive: true })
  const finding = `observability.metrics ${workspace}: has telemetry, and the store has no such workspace`
  expect(await doctorFindings(config)).toEqual([finding])
})
