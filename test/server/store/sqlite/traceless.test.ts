import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqliteSnapshot } from '../../../../server/store/sqlite/snapshot.ts'
import { openSqlite, type SqliteStore } from '../../../../server/store/sqlite.ts'
import { boxes, testFolder } from '../harness.ts'

/** Opens a store with a box in its log. */
async function openStore(): Promise<{ readonly store: SqliteStore; readonly folder: string; readonly file: string }> {
  const folder = testFolder()
  const file = join(folder, 'store.sqlite')
  const store = await openSqlite({ file, collections: [boxes] })
  onTestFinished(() => store.close())
  await store.tx(tx => tx.insert(boxes, { id: 'a', name: 'a' }))
  return { store, folder, file }
}

/**
 * Returns the entries of a store's folder with their attributes and contents. The time, size and content of the index
 * file are excluded, because every reader writes to this file.
 */
const looks = (folder: string): unknown =>
  readdirSync(folder).map(name => {
    const path = join(folder, name)
    const { ino, mode, mtimeNs, size } = statSync(path, { bigint: true })
    return name.endsWith('-shm') ? [name, ino, mode] : [name, ino, mode, mtimeNs, size, readFileSync(path, 'latin1')]
  })

/** Counts the boxes of a store through a snapshot, and checks that the snapshot leaves the folder unchanged. */
async function countIn(folder: string): Promise<number> {
  const before = [looks(folder), statSync(folder).mtimeMs]
  const snapshot = await openSqliteSnapshot({ file: join(folder, 'store.sqlite'), collections: [boxes] })
  const count = await snapshot.count(boxes)
  snapshot.verify()
  await snapshot.close()
  expect([looks(folder), statSync(folder).mtimeMs]).toEqual(before)
  return count
}

interface Left {
  readonly name: string
  /** Makes a folder in the described state, and returns the folder. */
  readonly leave: () => Promise<string>
}

/** Returns the description of a copy of the files of a killed server, without the files of some suffixes. */
const killed = (name: string, ...without: readonly string[]): Left => ({
  name,
  async leave() {
    const { folder } = await openStore()
    const copy = testFolder()
    cpSync(folder, copy, { recursive: true })
    for (const suffix of without) rmSync(join(copy, `store.sqlite-${suffix}`))
    return copy
  },
})

const stopped = (name: string, ...empty: readonly string[]): Left => ({
  name,
  async leave() {
    const { folder, file, store } = await openStore()
    await store.close()
    for (const suffix of empty) writeFileSync(`${file}-${suffix}`, '')
    return folder
  },
})

const left: readonly Left[] = [
  { name: 'of a server that runs', leave: async () => (await openStore()).folder },
  stopped('of a server that was stopped'),
  stopped('with an empty log', 'wal'),
  stopped('with an empty log and an empty index', 'wal', 'shm'),
  stopped('with an index of no log', 'shm'),
  killed('of a server that was killed'),
  killed('with a log that lost its index', 'shm'),
]

it.each(left)('a snapshot of a store $name leaves its folder unchanged', async ({ leave }) => {
  const folder = await leave()
  vi.stubEnv('TMPDIR', testFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await countIn(folder)).toBe(1)
  expect(readdirSync(tmpdir())).toEqual([])
})

describe.skipIf(process.platform === 'win32')('a folder that this user cannot write', () => {
  it.each(left)('is readable nevertheless: the store $name', async ({ leave }) => {
    const folder = await leave()
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444)
    chmodSync(folder, 0o555)
    onTestFinished(() => chmodSync(folder, 0o755))
    const back = asNobody()
    try {
      expect(await countIn(folder)).toBe(1)
    } finally {
      back()
    }
  })
})

/** Drops the privileges of root, who may write everywhere; returns a function that restores the privileges. */
function asNobody(): () => void {
  const { seteuid } = process
  if (seteuid === undefined || process.geteuid?.() !== 0) return () => {}
  seteuid(65_534)
  return () => seteuid(0)
}

describe('a snapshot of a stopped server’s store', () => {
  it('is the same while another server writes only its log', async () => {
    const { file, store } = await openStore()
    await store.close()
    const snapshot = await openSqliteSnapshot({ file, collections: [boxes] })
    onTestFinished(() => snapshot.close())
    const next = await openSqlite({ file, collections: [boxes] })
    onTestFinished(() => next.close())
    await next.tx(tx => tx.insert(boxes, { id: 'b', name: 'b' }))
    expect(await snapshot.count(boxes)).toBe(1)
    expect(() => snapshot.verify()).not.toThrow()
  })

  it('is refused at its end if another server has written back its log', async () => {
    const { file, store } = await openStore()
    await store.close()
    utimesSync(file, 0, 0)
    const snapshot = await openSqliteSnapshot({ file, collections: [boxes] })
    onTestFinished(() => snapshot.close())
    const next = await openSqlite({ file, collections: [boxes] })
    await next.tx(tx => tx.insert(boxes, { id: 'b', name: 'b' }))
    await next.close()
    expect(() => snapshot.verify()).toThrow(
      'was changed by a server while it was read, so that what was told may be wrong; check it again',
    )
  })
})
