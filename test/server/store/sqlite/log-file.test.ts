import { cpSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { logDamage, mostUnsaved } from '../../../../server/store/sqlite/log-file.ts'
import { checkStoreFile } from '../../../../server/store/sqlite/store-file.ts'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { boxes, testFolder } from '../harness.ts'

const frameSize = 24 + 4096

/**
 * Makes a store of which a killed server has left `count` transactions in the log. `ends` has the size of the log in
 * bytes before the first transaction and after each transaction.
 */
async function killedStore(
  count: number,
): Promise<{ readonly file: string; readonly log: string; readonly ends: number[] }> {
  const folder = testFolder()
  const [live, file] = [join(folder, 'live.sqlite'), join(folder, 'store.sqlite')]
  const store = await openSqlite({ file: live, collections: [boxes] })
  const ends = [statSync(`${live}-wal`).size]
  for (let i = 0; i < count; i += 1) {
    await store.tx(tx => tx.insert(boxes, { id: `b${i}`, name: `b${i}` }))
    ends.push(statSync(`${live}-wal`).size)
  }
  for (const suffix of ['', '-wal']) cpSync(live + suffix, file + suffix)
  await store.close()
  return { file, log: `${file}-wal`, ends }
}

/** Flips a bit of the byte at `offset`. */
function damage(file: string, offset: number): void {
  const content = readFileSync(file)
  writeFileSync(file, content.with(offset, Number(content[offset]) ^ 1))
}

it('the place where a log breaks off is found, and the transactions from there on are counted', async () => {
  const { log, ends } = await killedStore(6)
  expect(logDamage(log)).toBeUndefined()
  for (const [i, end] of ends.slice(0, -1).entries()) {
    const copy = `${log}.${i}`
    cpSync(log, copy)
    damage(copy, end + 100)
    const lost = 6 - i
    // A damaged last transaction counts as incompletely written, not as damage.
    if (lost === 1) expect(logDamage(copy)).toBeUndefined()
    else expect(logDamage(copy)).toMatchObject({ offset: end, lost })
  }
})

it.each([0, 9, 20, 31])('damage of the header of a log at byte %i is found', async offset => {
  const { log } = await killedStore(1)
  damage(log, offset)
  expect(logDamage(log)).toMatchObject({ offset: 0, lost: undefined })
})

it('the end of a log after a crash is not damage', async () => {
  const { log, ends } = await killedStore(3)
  const size = ends.at(-1) ?? 0
  for (const cut of [1, 100, frameSize, frameSize + 1]) {
    truncateSync(log, size - cut)
    expect(logDamage(log)).toBeUndefined()
  }
  damage(log, (ends.at(-2) ?? 0) + 100)
  expect(logDamage(log)).toBeUndefined()
})

/** Overwrites a page of a log as if the machine had crashed before the page was written. */
function leaveOut(log: string, page: number): void {
  const content = readFileSync(log)
  writeFileSync(log, content.fill(0, page * 4096, (page + 1) * 4096))
}

it.each([
  ['as many transactions as a crash may undo is no damage', mostUnsaved + 2, undefined],
  ['more transactions than a crash may undo is damage', mostUnsaved + 3, { lost: mostUnsaved + 2 }],
])('a page that is missing before %s', async (_, count, expected) => {
  const { log, ends } = await killedStore(count)
  leaveOut(log, Math.ceil((ends[1] ?? 0) / 4096) - 1)
  if (expected === undefined) expect(logDamage(log)).toBeUndefined()
  else expect(logDamage(log)).toMatchObject(expected)
})

it('a log that starts again over its former transactions is not damage', async () => {
  const folder = testFolder()
  const file = join(folder, 'store.sqlite')
  const store = await openSqlite({ file, collections: [boxes] })
  // 600 transactions exceed the checkpoint limit of 1,000 pages, after which SQLite writes the log from its beginning
  // again.
  for (let i = 0; i < 600; i += 1) await store.tx(tx => tx.insert(boxes, { id: `b${i}`, name: `b${i}` }))
  const size = statSync(`${file}-wal`).size
  await store.tx(tx => tx.insert(boxes, { id: 'last', name: 'last' }))
  expect(statSync(`${file}-wal`).size).toBe(size)
  expect(logDamage(`${file}-wal`)).toBeUndefined()
  await store.close()
})

it('a store with a damaged log is refused before a server drops its transactions', async () => {
  const { file, log, ends } = await killedStore(5)
  expect(checkStoreFile(file)).toBe('logged')
  damage(log, (ends[1] ?? 0) + 100)
  const message = `has a damaged log: ${log} cannot be read from byte ${ends[1]} on, and at least 4 transactions behind that would be lost`
  expect(() => checkStoreFile(file)).toThrow(message)
})
