import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { workspaces, type StoredWorkspace } from '../../domain/taxonomy/tree/nodes.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { startServer } from '../postgres/server.ts'
import { isPostgres, openPlace } from '../server/store/place.ts'
import { insertCopies } from './measuring/copied-rows.ts'
import { storedTree } from './measuring/tree-platform.ts'

/**
 * This program prints the time that the first server of a newer version takes to migrate 1,000,000 workspaces: with an
 * index over existing columns, then with a further column and its index. Also prints the slowest read and the slowest
 * write of an older server during the migration. `npm run bench migration sqlite` and `npm run bench migration
 * postgres` use one store; a further argument is the number of workspaces in thousands.
 */

const [, , , only, thousands = '1000'] = process.argv
const made = 1000
const copies = Number(thousands) - 1

/** A newer version of the collection, with a further index. */
const indexed: Collection<StoredWorkspace> = { ...workspaces, indexes: [...(workspaces.indexes ?? []), ['name']] }
const newest: Collection<StoredWorkspace> = {
  ...indexed,
  columns: { ...workspaces.columns, description: 'STRING' },
  indexes: [...(indexed.indexes ?? []), ['description']],
}

const folder = mkdtempSync(join(tmpdir(), 'ninefold-migration-'))
try {
  if (only !== 'postgres') await printMigration('SQLite', join(folder, 'store.sqlite'))
} finally {
  rmSync(folder, { recursive: true })
}
if (only !== 'sqlite') {
  const server = await startServer()
  try {
    await printMigration('PostgreSQL', server.url)
  } finally {
    await server.stop()
  }
}

async function printMigration(title: string, place: string): Promise<void> {
  const tree = await storedTree(place, { groups: 10, workspaces: made })
  await tree.close()
  await run(place, multiplied(place))
  await printChange(`${title}: an index`, place, workspaces, indexed)
  await printChange(`${title}: a column and an index`, place, indexed, newest)
}

type Version = Collection<StoredWorkspace>

async function printChange(what: string, place: string, older: Version, newer: Version): Promise<void> {
  // On SQLite the migration blocks this process, and readers never wait for a writer, so there is nothing to watch.
  const watch = isPostgres(place) ? await watched(place, older) : undefined
  const began = performance.now()
  const store = await openPlace(place, [newer])
  const took = performance.now() - began
  const slowest = await watch?.()
  console.log(`${what} of ${await store.count(newer)} workspaces in ${seconds(took)}`)
  await store.close()
  if (slowest === undefined) return
  console.log(
    `  the slowest read of an older server took ${seconds(slowest.read)} meanwhile, its slowest write ${seconds(slowest.write)}`,
  )
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}

/** The times of the slowest read and of the slowest write, in milliseconds. */
interface Slowest {
  readonly read: number
  readonly write: number
}

/**
 * Reads and writes repeatedly as an older server. The returned function stops the calls and returns the slowest times.
 */
async function watched(place: string, version: Version): Promise<() => Promise<Slowest>> {
  const store = await openPlace(place, [version])
  const { value: row } = await store.each(version).next()
  if (row === undefined) throw new Error('the store has no workspace to write')
  const over = new AbortController()
  const slowest = async (act: () => Promise<unknown>): Promise<number> => {
    let most = 0
    while (!over.signal.aborted) {
      const began = performance.now()
      // A refused call also counts, because it has waited.
      await act().catch(() => undefined)
      most = Math.max(most, performance.now() - began)
      await sleep(20)
    }
    return most
  }
  const change = (): Promise<unknown> =>
    store.tx(async tx => {
      const found = await tx.lock(version, row.id)
      if (found !== undefined) await tx.update(version, row.id, found.value, found.version)
    })
  const both = Promise.all([slowest(() => store.find(version, { id: 'none' })), slowest(change)])
  return async () => {
    over.abort()
    const [read, write] = await both
    await store.close()
    return { read, write }
  }
}

/** Returns SQL that inserts `copies` copies of each workspace. */
function multiplied(place: string): string {
  return (
    `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${copies}) ` +
    `${insertCopies(place, workspaces, 'n')} FROM "${workspaces.name}", series`
  )
}

async function run(place: string, sql: string): Promise<void> {
  if (!isPostgres(place)) {
    const database = new DatabaseSync(place)
    database.exec(sql)
    return database.close()
  }
  const client = new Client(place)
  await client.connect()
  await client.query(sql)
  await client.end()
}
