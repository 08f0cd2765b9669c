import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { areas as platformAreas } from '../../../server/areas.ts'
import { doctor } from '../../../server/doctor/doctor.ts'
import { openIam } from '../../../server/iam/open.ts'
import { openPlatform } from '../../areas/open-platform.ts'
import { testAreas } from '../../domain/taxonomy/areas.ts'
import { testAccess } from '../access/test-access.ts'
import { testFolder } from '../store/harness.ts'
import { memoryFolder } from '../../memory-folder.ts'

const areas = testAreas()
const ignore = (): void => {}

const check = (dataDir: string): Promise<unknown> => doctor({ place: { dataDir }, areas, isJson: false, print: ignore })

const configOf = (dataDir: string) => ({ baseUrl: undefined, dataDir, bootstrap: { adminEmail: '' } })

async function serve(dataDir: string): Promise<void> {
  await (await openPlatform({ config: configOf(dataDir), areas, openAccess: testAccess })).close()
}

/** Opens and closes the platform with all areas, as `ninefold serve` does. */
async function servePlatform(dataDir: string): Promise<void> {
  await (await openPlatform({ config: configOf(dataDir), areas: platformAreas, openAccess: openIam })).close()
}

/** The data folder of a stopped server, from which the cases copy the store. */
const leftFolder = mkdtempSync(join(memoryFolder, 'ninefold-unusable-'))
afterAll(() => rmSync(leftFolder, { recursive: true }))
await serve(leftFolder)
const stored = join(leftFolder, 'ninefold.sqlite')

/** Returns a function that writes a file with this content in place of the store. */
const of =
  (content: string | Uint8Array) =>
  (file: string): void =>
    writeFileSync(file, content)

/** Returns a function that copies the store, and then changes the copy. */
const leave =
  (change: (file: string) => void) =>
  (file: string): void => {
    cpSync(stored, file)
    change(file)
  }

const sql =
  (...statements: readonly string[]) =>
  (file: string): void => {
    const database = new DatabaseSync(file)
    for (const statement of statements) database.exec(statement)
    database.close()
  }

/** Returns a function that drops a column, after the indexes of its table, which prevent the drop. */
const dropIndexed =
  (table: string, column: string) =>
  (file: string): void => {
    const database = new DatabaseSync(file)
    const indexes = database.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE '${table}_index_%'`).all()
    for (const { name } of indexes) database.exec(`DROP INDEX ${String(name)}`)
    database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)
    database.close()
  }

/** Returns a function that overwrites the first `length` bytes of a file with `byte`. */
const start =
  (length: number, byte: number) =>
  (file: string): void => {
    const content = readFileSync(file)
    writeFileSync(file, content.fill(byte, 0, length))
  }

/** Overwrites the list of tables, which follows the header of 100 bytes in the first page. */
const breakSchema = (file: string): void => {
  const content = readFileSync(file)
  writeFileSync(file, content.fill(0x5a, 100, 4096))
}

/** Returns a function that leaves a log of a killed server without its store, or next to an empty file. */
const logAlone =
  (isEmpty: boolean) =>
  (file: string): void => {
    writeFileSync(`${file}-wal`, 'what a killed server has left')
    if (isEmpty) writeFileSync(file, '')
  }

/** Leaves the log of a killed server with a changed byte in its first page. */
const breakLog = (file: string): void => {
  const database = new DatabaseSync(file)
  for (let i = 0; i < 3; i += 1) database.exec('UPDATE ninefold_secrets SET name = name')
  const log = readFileSync(`${file}-wal`)
  database.close()
  writeFileSync(`${file}-wal`, log.with(100, Number(log[100]) ^ 1))
}

interface Case {
  readonly name: string
  readonly make: (file: string) => void
  readonly told: string | RegExp
}

/** Files that neither the doctor nor a server can use, and that both must leave unchanged. */
const unusable: readonly Case[] = [
  { name: 'a text', make: of('This was never a database.'), told: 'is no database of SQLite' },
  { name: 'a byte', make: of('x'), told: 'is no database of SQLite' },
  { name: 'bytes without sense', make: of(new Uint8Array(9000).fill(0xa5)), told: 'is no database of SQLite' },
  { name: 'zeros', make: of(new Uint8Array(9000)), told: 'is no database of SQLite' },
  { name: 'a store whose header is encrypted', make: leave(start(100, 0x5a)), told: 'or an encrypted one' },
  { name: 'a store whose first page is gone behind the header', make: leave(breakSchema), told: 'is damaged' },
  ...[4, 16, 50, 100, 4096, 100_000].map((size): Case => ({
    name: `a store of which ${size} bytes are left`,
    make: leave(file => truncateSync(file, size)),
    told: /is cut off: \d+ bytes of \d+ are there/,
  })),
  { name: 'nothing but its log', make: logAlone(false), told: /is gone, but its log \S+-wal is not/ },
  { name: 'an empty file with a log', make: logAlone(true), told: /is empty, but its log \S+-wal is not/ },
  {
    name: 'a store with a damaged log',
    make: leave(breakLog),
    told: 'and at least 2 transactions behind that would be lost',
  },
  { name: 'a folder', make: file => mkdirSync(file), told: 'is a folder where the file of the store must be' },
  { name: 'the database of another program', make: sql('CREATE TABLE songs (title)'), told: 'of another program' },
]

/** Files that the doctor cannot check, and that a server turns into a store. */
const unmade: readonly Case[] = [
  { name: 'nothing', make: ignore, told: 'does not exist, so that there is no store; "ninefold serve" makes it' },
  { name: 'an empty file', make: of(''), told: 'is empty; when this is a first start that was broken off' },
  { name: 'a database without tables', make: sql('PRAGMA user_version = 1'), told: 'or it was copied without its log' },
]

const newer: Case = {
  name: 'a store of a newer version',
  make: leave(sql('INSERT INTO ninefold_migrations VALUES (999)')),
  told: 'was written by a newer version: it has schema version 999, this program knows 3; use the newer version',
}

const older: readonly Case[] = [
  {
    name: 'a store that lacks tables',
    make: leave(sql('DROP TABLE depot_things', 'DROP TABLE depot_shelves')),
    told: 'was written by an older version: it lacks table depot_things and 1 more; "ninefold serve"',
  },
  {
    name: 'a store that lacks a column',
    make: leave(dropIndexed('depot_things', 'workspace_id')),
    told: 'was written by an older version: it lacks column workspace_id of depot_things; "ninefold serve"',
  },
  {
    name: 'a store that lacks a step of the schema',
    make: leave(sql('DELETE FROM ninefold_migrations WHERE number = 3', 'DROP TABLE ninefold_formats')),
    told: 'was written by an older version: it lacks schema version 3; "ninefold serve"',
  },
]

/**
 * Returns the names of the entries of a folder with the content of the files, without the lock file, which is empty and
 * permanent.
 */
const contents = (folder: string): unknown =>
  readdirSync(folder)
    .filter(name => name !== 'ninefold.lock')
    .map(name => {
      const path = join(folder, name)
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'latin1')]
    })

/**
 * Runs a command that must leave the folder unchanged; returns the message of its error, or `is content` if it
 * succeeds.
 */
async function refusal(folder: string, command: (folder: string) => Promise<unknown>): Promise<string> {
  const before = contents(folder)
  const message = await command(folder).then(
    () => 'is content',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  expect(contents(folder)).toEqual(before)
  return message
}

/** Makes a folder with the files of a case; returns the folder and the path of the file. */
function made({ make }: Case): { readonly folder: string; readonly file: string } {
  const folder = testFolder()
  const file = join(folder, 'ninefold.sqlite')
  make(file)
  return { folder, file }
}

describe('in the place of a store', () => {
  it.each([...unusable, newer])('$name is reported by doctor and serve, which change nothing', async each => {
    const { file, folder } = made(each)
    for (const command of [check, serve]) {
      const message = await refusal(folder, command)
      expect(message).toMatch(each.told)
      expect(message).toContain(`${file} `)
      expect(message).toMatch(/; (restore the data folder from a backup, or name|use the newer version)/)
      expect(message).not.toContain('serve')
    }
  })

  it.each([
    {
      name: 'a column',
      make: leave(sql('ALTER TABLE depot_things ADD COLUMN shine TEXT')),
      told: 'table depot_things has column shine',
    },
    {
      name: 'a unique set',
      make: leave(sql('CREATE UNIQUE INDEX more ON "depot_things" ("workspace_id", "_key")')),
      told: 'table depot_things has the unique set (workspace_id, _key)',
    },
    {
      name: 'a format',
      make: leave(sql('INSERT INTO ninefold_formats (number) VALUES (99)')),
      told: 'it has format 99, and this version knows format 1',
    },
  ])('a store with $name of a newer version is neither served nor checked', async each => {
    const { file, folder } = made(each)
    for (const command of [check, serve]) {
      const message = await refusal(folder, command)
      expect(message).toContain(
        `${file} cannot be used: a newer version of the server has changed the store: ${each.told}`,
      )
      expect(message).toMatch(/; start that version or a newer one, or restore a backup from before it$/)
    }
  })

  it('a store that is damaged after its first pages is reported with a remedy', async () => {
    const broken = leave(file => writeFileSync(file, readFileSync(file).fill(0x5a, 3 * 4096)))
    const { file, folder } = made({ name: 'pages', make: broken, told: '' })
    await expect(serve(folder)).rejects.toThrow(
      `${file} is damaged (its content is not what SQLite writes); restore the data folder from a backup`,
    )
  })

  it.each(unmade)('$name is reported by doctor, and serve creates a store', async each => {
    const { file, folder } = made(each)
    const message = await refusal(folder, check)
    expect(message).toMatch(each.told)
    expect(message).toContain(`${file} `)
    expect(message).not.toContain('up to date')
    await serve(folder)
    expect(await check(folder)).toBe(0)
  })

  it.each(older)('$name is migrated by serve', async each => {
    const { file, folder } = made(each)
    const message = await refusal(folder, check)
    expect(message).toContain(`${file} ${String(each.told)} of this version brings it up to date`)
    await serve(folder)
    await expect(check(folder)).resolves.toBeTypeOf('number')
  })
})

describe('in the place of other files of a server', () => {
  it.each([
    ['ninefold.lock', 'a text', of('This was never a database.')],
    ['ninefold.lock', 'a folder', (file: string) => mkdirSync(file)],
    ['ninefold.sqlite-leases', 'bytes without sense', of(new Uint8Array(9000).fill(0xa5))],
    ['ninefold.sqlite-leases', 'a folder', (file: string) => mkdirSync(file)],
  ])('%s is reported when it is %s, with a remedy', async (name, _what, make) => {
    const folder = testFolder()
    await servePlatform(folder)
    rmSync(join(folder, name))
    make(join(folder, name))
    const told = new RegExp(
      `^${join(folder, name)} is .*; end the servers on the folder and delete it: the next start makes it anew$`,
    )
    await expect(servePlatform(folder)).rejects.toThrow(told)
    rmSync(join(folder, name), { recursive: true })
    await servePlatform(folder)
  })
})

describe('in the place of a data folder', () => {
  it.each(['data', 'data/inner'])('a file is reported by doctor and serve, which keep it (%s)', async path => {
    const folder = testFolder()
    writeFileSync(join(folder, 'data'), 'mine')
    const dataDir = join(folder, path)
    for (const command of [check, serve]) {
      const message = await refusal(folder, () => command(dataDir))
      expect(message).toMatch(/ is a file; name another data folder \(data_dir, NINEFOLD_DATA_DIR\)$/)
      expect(message).toContain(`the data folder ${dataDir} `)
    }
  })
})
