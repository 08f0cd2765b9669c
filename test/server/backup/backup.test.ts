import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { examineBackup } from '../../../server/backup/examine.ts'
import { testFolder } from '../store/harness.ts'
import { areas } from '../../../server/areas.ts'
import { backUpTo, command, ended, expectSound, restoreFrom, served, started, type Served } from './harness.ts'

const create = (server: Served, name: string) =>
  server.call('POST', '/taxonomy/v1/organisations', { name, display_name: name })

/**
 * Begins to create organisations sequentially. Returns the names of the acknowledged organisations, and a function that
 * stops the creations.
 */
function writer(server: Served, prefix: string) {
  const acknowledged: string[] = []
  const state = { isStopped: false }
  const running = (async () => {
    for (let i = 0; !state.isStopped; i += 1) {
      const name = `${prefix}-${i}`
      if ((await create(server, name)).status < 300) acknowledged.push(name)
    }
  })()
  return {
    acknowledged,
    stop: () => {
      state.isStopped = true
      return running
    },
  }
}

function namesIn(file: string): ReadonlySet<string> {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare('SELECT name FROM taxonomy_organisations').all()
  database.close()
  return new Set(rows.map(({ name }) => String(name)))
}

describe('ninefold backup', () => {
  it('contains all changes that four writers had acknowledged before it began, and is sound', async () => {
    const folder = testFolder()
    const dataDir = join(folder, 'data')
    const server = await served(dataDir)
    const writers = ['a', 'b', 'c', 'd'].map(prefix => writer(server, prefix))
    const counts = () => writers.map(({ acknowledged }) => acknowledged.length)
    await expect.poll(() => Math.min(...counts())).toBeGreaterThan(10)
    const before = writers.flatMap(({ acknowledged }) => [...acknowledged])
    const atStart = counts()
    const to = join(folder, 'b.sqlite')
    const { code, said } = await ended(command(dataDir, ['backup', '--to', to]))
    const atEnd = counts()
    await Promise.all(writers.map(({ stop }) => stop()))
    await server.stop()

    expect([code, said]).toEqual([0, expect.stringMatching(/b\.sqlite: [\d.]+ MiB, \d+ rows of \d+ tables, version /)])
    const names = namesIn(to)
    expect(before.filter(name => !names.has(name))).toEqual([])
    expect(atEnd.every((count, i) => count > (atStart[i] ?? 0))).toBe(true)
    const restored = join(folder, 'restored')
    restoreFrom(restored, to)
    await expectSound(restored)
  })

  it('is a single file that only its owner can read', async () => {
    const { dataDir, folder } = await started()
    await backUpTo(dataDir, join(folder, 'b.sqlite'))
    expect(readdirSync(folder).sort()).toEqual(['b.sqlite', 'data'])
    expect(statSync(join(folder, 'b.sqlite')).mode & 0o777).toBe(0o600)
  })

  it('keeps an existing file, unless the caller wants its replacement', async () => {
    const { dataDir, folder } = await started()
    const to = join(folder, 'b.sqlite')
    writeFileSync(to, 'mine')
    chmodSync(to, 0o644)
    await expect(backUpTo(dataDir, to)).rejects.toThrow('say --replace')
    expect(readFileSync(to, 'utf8')).toBe('mine')
    await backUpTo(dataDir, to, true)
    expect(examineBackup(to, areas).version).toBe('1.2.3')
    expect(statSync(to).mode & 0o777).toBe(0o600)
  })

  it('that runs twice with the same name succeeds once, and reports the name the other time', async () => {
    const { dataDir, folder } = await started()
    const to = join(folder, 'b.sqlite')
    const both = await Promise.all([1, 2].map(() => ended(command(dataDir, ['backup', '--to', to]))))
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(both.find(({ code }) => code === 1)?.said).toContain('b.sqlite exists')
    examineBackup(to, areas)
    expect(readdirSync(folder).sort()).toEqual(['b.sqlite', 'data'])
  })

  it.each<[string, (folder: string) => string, string]>([
    ['the store itself', folder => join(folder, 'data/ninefold.sqlite'), 'is a name that servers use'],
    ['the store by another path', folder => join(folder, 'link/ninefold.sqlite'), 'is a name that servers use'],
    ['a folder', folder => join(folder, 'taken'), 'is no file that a backup could replace'],
    ['a folder that is not there', folder => join(folder, 'none/b.sqlite'), 'there is no folder'],
  ])('refuses to overwrite %s', async (_name, target, message) => {
    const { dataDir, folder } = await started()
    mkdirSync(join(folder, 'taken'))
    symlinkSync(dataDir, join(folder, 'link'))
    await expect(backUpTo(dataDir, target(folder), true)).rejects.toThrow(message)
    await expectSound(dataDir)
  })

  it('reports a missing store, and creates none', async () => {
    const folder = testFolder()
    await expect(backUpTo(join(folder, 'none'), join(folder, 'b.sqlite'))).rejects.toThrow('there is no store')
    expect(readdirSync(folder)).toEqual([])
  })

  it('reports the remedy for a database of PostgreSQL, without its password', async () => {
    const folder = testFolder()
    const config = join(folder, 'n.json')
    writeFileSync(config, JSON.stringify({ 'store.url': 'postgres://me:sesame@db.example:5432/nine' }))
    for (const words of [
      ['backup', '--to', join(folder, 'b')],
      ['restore', '--from', join(folder, 'b')],
    ]) {
      const { code, said } = await ended(command(folder, [...words, '--config', config]))
      expect([code, said]).toEqual([1, expect.stringContaining('pg_dump')])
      expect(said).not.toContain('sesame')
    }
  })

  it('is not made, and replaces no earlier backup, if the log of a killed server is damaged', async () => {
    const { dataDir, folder } = await started()
    const backup = join(folder, 'b.sqlite')
    await backUpTo(dataDir, backup)
    const before = readFileSync(backup)
    const store = join(dataDir, 'ninefold.sqlite')
    const writer = new DatabaseSync(store)
    writer.exec('PRAGMA wal_autocheckpoint = 0')
    for (const name of ['a', 'b', 'c']) {
      writer.exec(`INSERT INTO ninefold_secrets (name, value) VALUES ('mark-${name}', x'00')`)
    }
    const killed = join(folder, 'killed')
    cpSync(dataDir, killed, { recursive: true })
    writer.close()
    const log = join(killed, 'ninefold.sqlite-wal')
    writeFileSync(log, readFileSync(log).fill('X', 0, 16))
    await expect(backUpTo(killed, backup, true)).rejects.toThrow('ninefold.sqlite has a damaged log')
    expect(readFileSync(backup).equals(before)).toBe(true)
  })

  it('refuses a damaged store', async () => {
    const { dataDir, folder } = await started()
    const store = join(dataDir, 'ninefold.sqlite')
    const bytes = readFileSync(store)
    bytes.fill(0xff, 4096 * 3, 4096 * 9)
    writeFileSync(store, bytes)
    await expect(backUpTo(dataDir, join(folder, 'b.sqlite'))).rejects.toThrow()
    expect(existsSync(join(folder, 'b.sqlite'))).toBe(false)
    expect(readdirSync(folder)).toEqual(['data'])
  })
})
