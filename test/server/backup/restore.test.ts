import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { done, type StepOutcome } from '../../../domain/ports/procedures.ts'
import { areas } from '../../../server/areas.ts'
import { verifyBackup } from '../../../server/backup/restore.ts'
import { within } from '../operations/harness.ts'
import { benchCollections, workBench } from '../operations/work-bench.ts'
import { storeAt, testFolder } from '../store/harness.ts'
import { backUpTo, command, ended, expectSound, restoreFrom, served, started } from './harness.ts'

/** Makes a data folder and a backup of it. */
async function backedUp() {
  const { dataDir, folder } = await started()
  const backup = join(folder, 'b.sqlite')
  await backUpTo(dataDir, backup)
  return { backup, dataDir, folder }
}

/** Inserts a row into a store, by which the test identifies the store. */
function mark(file: string, name: string): void {
  const database = new DatabaseSync(file)
  database.exec(`INSERT INTO ninefold_secrets (name, value) VALUES ('${name}', x'00')`)
  database.close()
}

const marksOf = (file: string): readonly string[] => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(`SELECT name FROM ninefold_secrets WHERE name LIKE 'mark%'`).all()
  database.close()
  return rows.map(({ name }) => String(name))
}

describe('ninefold restore', () => {
  it('creates a store in an empty folder, and serves there as before', async () => {
    const folder = testFolder()
    const one = await served(join(folder, 'one'))
    const created = await one.call('POST', '/taxonomy/v1/organisations', { name: 'acme', display_name: 'Acme' })
    expect(created.status).toBe(200)
    const backup = join(folder, 'b.sqlite')
    expect((await ended(command(join(folder, 'one'), ['backup', '--to', backup]))).code).toBe(0)
    await one.stop()
    const two = join(folder, 'two')
    const { code, said } = await ended(command(two, ['restore', '--from', backup]))
    expect([code, said]).toEqual([0, expect.stringContaining(`rows of ${backup}, made 20`)])
    const again = await served(two)
    const listed = await again.call('GET', '/taxonomy/v1/organisations?filter=name%3Dacme')
    expect([listed.status, listed.body]).toEqual([200, expect.stringContaining('"acme"')])
    expect((await again.call('POST', '/taxonomy/v1/organisations', { name: 'more' })).status).toBe(200)
    await again.stop()
    await expectSound(two)
  })

  it('continues the operations that were running at the time of the backup', async () => {
    const folder = testFolder()
    const dataDir = join(folder, 'one')
    mkdirSync(dataDir)
    const never = new Promise<never>(() => undefined)
    const move = (run: () => Promise<StepOutcome>) => [{ kind: 'sample.move', steps: [{ name: 'move', run }] }]
    const one = workBench(
      await storeAt(join(dataDir, 'ninefold.sqlite'), ...benchCollections),
      move(() => never),
    )
    const workers = await one.work({ leaseMs: 600_000, stopGraceMs: 1 })
    const id = await one.begin('sample.move')
    await expect.poll(async () => (await one.record(id)).status).toBe('SAMPLE_OPERATION_STATUS_RUNNING')
    await backUpTo(dataDir, join(folder, 'b.sqlite'))
    await workers.stop()

    const restored = join(folder, 'two')
    restoreFrom(restored, join(folder, 'b.sqlite'))
    const store = await storeAt(join(restored, 'ninefold.sqlite'), ...benchCollections)
    const two = workBench(
      store,
      move(async () => done()),
    )
    expect((await two.record(id)).status).toBe('SAMPLE_OPERATION_STATUS_RUNNING')
    const others = await two.work({ leaseMs: 600_000 })
    await expect.poll(async () => (await two.record(id)).status, within).toBe('SAMPLE_OPERATION_STATUS_DONE')
    await others.stop()
  })

  it('replaces a store only on request, and keeps all its files', async () => {
    const { backup, dataDir } = await backedUp()
    const store = join(dataDir, 'ninefold.sqlite')
    mark(store, 'mark-old')
    expect(() => restoreFrom(dataDir, backup, { isReplacing: false })).toThrow('say --replace')
    expect(marksOf(store)).toEqual(['mark-old'])
    const lines = restoreFrom(dataDir, backup)
    expect(marksOf(store)).toEqual([])
    const aside = /lies in (.*)$/.exec(lines.at(-1) ?? '')?.[1] ?? ''
    expect(marksOf(aside)).toEqual(['mark-old'])
    await expectSound(dataDir)
  })

  it('of a refused backup leaves nothing in a folder that did not exist', () => {
    const folder = testFolder()
    const garbage = join(folder, 'garbage')
    writeFileSync(garbage, 'no backup')
    expect(() => restoreFrom(join(folder, 'new', 'deep'), garbage)).toThrow('garbage')
    expect(() => restoreFrom(join(folder, 'new', 'deep'), join(folder, 'none'))).toThrow('none')
    expect(readdirSync(folder)).toEqual(['garbage'])
    mkdirSync(join(folder, 'there'))
    expect(() => restoreFrom(join(folder, 'there', 'new'), garbage)).toThrow('garbage')
    expect(readdirSync(join(folder, 'there'))).toEqual([])
  })

  it.each([
    ['backup', '--to'],
    ['restore', '--from'],
  ])('refuses a %s whose %s is empty', async (...words) => {
    const { code, said } = await ended(command(testFolder(), [...words, '']))
    expect([code, said.trim()]).toEqual([1, `ninefold: ${words[1]} must name a file`])
  })

  it('deletes the replaced store on request', async () => {
    const { backup, dataDir } = await backedUp()
    restoreFrom(dataDir, backup, { isDiscarding: true })
    expect(readdirSync(dataDir).filter(name => name.includes('before'))).toEqual([])
    await expectSound(dataDir)
  })

  it('moves the log of a killed server together with its store, and replays it into neither store', async () => {
    const { backup, dataDir } = await backedUp()
    const store = join(dataDir, 'ninefold.sqlite')
    const writer = new DatabaseSync(store)
    writer.exec(`PRAGMA wal_autocheckpoint = 0; INSERT INTO ninefold_secrets (name, value) VALUES ('mark-log', x'00')`)
    const killed = join(dataDir, '../killed')
    cpSync(dataDir, killed, { recursive: true })
    writer.close()
    expect(readFileSync(join(killed, 'ninefold.sqlite-wal')).length).toBeGreaterThan(0)
    const lines = restoreFrom(killed, backup)
    expect(marksOf(join(killed, 'ninefold.sqlite'))).toEqual([])
    expect(marksOf(/lies in (.*)$/.exec(lines.at(-1) ?? '')?.[1] ?? '')).toEqual(['mark-log'])
    await expectSound(killed)
  })

  it('is refused while a server runs on the folder, and allowed after the kill of this server', async () => {
    const folder = testFolder()
    const dataDir = join(folder, 'data')
    const server = await served(dataDir)
    const backup = join(folder, 'b.sqlite')
    await backUpTo(dataDir, backup)
    expect(() => restoreFrom(dataDir, backup)).toThrow('is in use; end the servers')
    server.child.kill('SIGKILL')
    await ended(server.child)
    restoreFrom(dataDir, backup)
    await expectSound(dataDir)
  })

  it.each<[string, (backup: string) => void, string]>([
    ['text', file => writeFileSync(file, 'no backup\n'.repeat(1000)), 'is no backup, or is damaged'],
    ['nothing', file => writeFileSync(file, ''), 'is no backup'],
    ['another database', file => (writeFileSync(file, ''), makeForeign(file)), 'is no backup'],
    ['a backup that was cut short', file => writeFileSync(file, readFileSync(file).subarray(0, 90_000)), 'is damaged'],
    ['a backup with a byte of a document changed', file => change(file), 'is not what it was'],
    ['a backup with a row more', file => mark(file, 'mark'), 'ninefold_secrets is not what it was'],
    ['a backup that holds a trigger', file => makeHostile(file), 'which no store has'],
    ['a backup of a newer schema', file => edit(file, '"schema":3', '"schema":99'), 'the newer version 1.2.3'],
    ['a backup of a newer format', file => edit(file, '"format":1', '"format":2'), 'the newer version 1.2.3'],
    ['a backup with a log beside it', file => writeFileSync(`${file}-wal`, ''), 'somebody has opened it'],
  ])('refuses %s, and changes nothing', async (_name, spoil, message) => {
    const { backup, dataDir } = await backedUp()
    spoil(backup)
    const before = readdirSync(dataDir).sort()
    await expect(verifyBackup(backup, areas, () => undefined)).rejects.toThrow(message)
    expect(() => restoreFrom(dataDir, backup)).toThrow(message)
    expect(readdirSync(dataDir).sort()).toEqual(before)
    await expectSound(dataDir)
  })

  it.each([
    ['raised the format', 'INSERT INTO ninefold_formats (number) VALUES (99)', 'has format 99'],
    ['added a column', 'ALTER TABLE taxonomy_groups ADD COLUMN shine TEXT', 'taxonomy_groups has column shine'],
    ['added a unique set', 'CREATE UNIQUE INDEX more ON "taxonomy_groups" ("name")', 'has the unique set (name)'],
  ])('refuses a backup of a version that %s, and changes nothing', async (_name, sql, difference) => {
    const { dataDir, folder } = await started()
    const newer = join(folder, 'newer')
    cpSync(dataDir, newer, { recursive: true })
    const database = new DatabaseSync(join(newer, 'ninefold.sqlite'))
    database.exec(sql)
    database.close()
    const backup = join(folder, 'newer.sqlite')
    await backUpTo(newer, backup)
    const before = readdirSync(dataDir).sort()
    for (const refused of [
      () => verifyBackup(backup, areas, () => undefined),
      async () => restoreFrom(dataDir, backup),
    ]) {
      await expect(refused()).rejects.toThrow(`${backup} was made by the newer version 1.2.3 (`)
      await expect(refused()).rejects.toThrow(`${difference}`)
    }
    expect(readdirSync(dataDir).sort()).toEqual(before)
    await expectSound(dataDir)
  })

  it('refuses a backup in the place of its own copy, and leaves the backup there', async () => {
    const { backup, dataDir } = await backedUp()
    const own = join(dataDir, 'ninefold.sqlite.incoming')
    copyFileSync(backup, own)
    expect(() => restoreFrom(dataDir, own)).toThrow('has a name that restores use themselves')
    expect(readFileSync(own).equals(readFileSync(backup))).toBe(true)
  })

  it('refuses the store of a server, because others may still write it', async () => {
    const { dataDir, folder } = await backedUp()
    copyFileSync(join(dataDir, 'ninefold.sqlite'), join(folder, 'copy.sqlite'))
    expect(() => restoreFrom(dataDir, join(folder, 'copy.sqlite'))).toThrow('"ninefold backup --to FILE" makes one')
  })

  it('checks a backup without any change on request', async () => {
    const { backup, dataDir, folder } = await backedUp()
    const before = readFileSync(backup)
    const { code, said } = await ended(command(join(folder, 'none'), ['restore', '--from', backup, '--verify-only']))
    expect([code, said]).toEqual([0, expect.stringMatching(/^can be restored: \d+ rows of /)])
    expect(readFileSync(backup).equals(before)).toBe(true)
    expect(existsSync(join(folder, 'none'))).toBe(false)
    await expectSound(dataDir)
  })
})

function makeForeign(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE songs (title TEXT)')
  database.close()
}

function makeHostile(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('CREATE TRIGGER t AFTER INSERT ON ninefold_secrets BEGIN DELETE FROM taxonomy_quotas; END')
  database.close()
}

/** Replaces a text in the manifest of a backup. */
function edit(file: string, from: string, to: string): void {
  const database = new DatabaseSync(file)
  database.prepare('UPDATE ninefold_backup SET manifest = replace(manifest, ?, ?)').run(from, to)
  database.close()
}

/** Changes a letter of a text that no index contains, so SQLite cannot notice the change. */
function change(file: string): void {
  const bytes = readFileSync(file)
  // The row of this name is written once and never changed, so the match is not a deleted row.
  const at = bytes.indexOf('"name":"ninefold-system"')
  bytes.write('#', at + '"name":"'.length)
  writeFileSync(file, bytes)
}
