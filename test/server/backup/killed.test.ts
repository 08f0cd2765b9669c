import { spawn } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { enterDataFolder } from '../../../server/backup/folder-hold.ts'
import { examineBackup } from '../../../server/backup/examine.ts'
import { areas } from '../../../server/areas.ts'
import { backUpTo, ended, expectSound, restoreFrom, started } from './harness.ts'

const program = fileURLToPath(new URL('./killed-program.ts', import.meta.url))

type Work = 'backup' | 'restore'

/** Runs the program; returns true if it was killed at call number `at`, and false if it finished its work. */
async function killedAt(at: number, work: Work, dataDir: string, file: string): Promise<boolean> {
  const words = [program, String(at), work, dataDir, file]
  const { said, signal } = await ended(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] }))
  if (signal === null) expect(said).toMatch(/^calls \d+\n$/)
  return signal === 'SIGKILL'
}

/** Leaves a row that only the log of a store contains, as after the kill of a server. */
function markLog(dataDir: string): void {
  const file = join(dataDir, 'ninefold.sqlite')
  const writer = new DatabaseSync(file)
  writer.exec(`PRAGMA wal_autocheckpoint = 0; INSERT INTO ninefold_secrets (name, value) VALUES ('mark', x'00')`)
  const log = `${file}-wal`
  cpSync(log, `${log}.kept`)
  writer.exec(`DELETE FROM ninefold_secrets WHERE name = 'mark'`)
  cpSync(file, `${file}.kept`)
  writer.close()
  for (const kept of [file, log]) cpSync(`${kept}.kept`, kept)
}

function isMarked(dataDir: string): boolean {
  const database = new DatabaseSync(join(dataDir, 'ninefold.sqlite'))
  try {
    return database.prepare(`SELECT 1 FROM ninefold_secrets WHERE name = 'mark'`).get() !== undefined
  } finally {
    database.close()
  }
}

describe('a backup that is killed', () => {
  it('leaves the earlier file or a complete backup, at whatever point', async () => {
    const { dataDir, folder } = await started()
    const to = join(folder, 'b.sqlite')
    await backUpTo(dataDir, to)
    const versions = new Set<string>()
    let at = 1
    while (await killedAt(at, 'backup', dataDir, to)) {
      versions.add(examineBackup(to, areas).version)
      at += 1
    }
    expect(at).toBeGreaterThan(10)
    expect([...versions]).toEqual(['1.2.3', '2.0.0'])
    expect(examineBackup(to, areas).version).toBe('2.0.0')
    await expectSound(dataDir)
  }, 120_000)
})

describe('a restore that is killed', () => {
  it('leaves the old store with its log or the new store, which the next start finds', async () => {
    const { dataDir, folder } = await started()
    const backup = join(folder, 'b.sqlite')
    await backUpTo(dataDir, backup)
    markLog(dataDir)
    const order: boolean[] = []
    for (let at = 1, isKilled = true; isKilled; at += 1) {
      const place = join(folder, `data-${at}`)
      cpSync(dataDir, place, { recursive: true })
      isKilled = await killedAt(at, 'restore', place, backup)
      enterDataFolder(place).release()
      order.push(isMarked(place))
      await expectSound(place)
      restoreFrom(place, backup, { isDiscarding: true })
      expect(isMarked(place)).toBe(false)
      expect(readdirSync(place).filter(name => /incoming|restored/.test(name))).toEqual([])
    }
    expect(order.length).toBeGreaterThan(15)
    expect(order).toEqual([...order].sort((a, b) => Number(b) - Number(a)))
    expect(new Set(order)).toEqual(new Set([true, false]))
  }, 120_000)
})
