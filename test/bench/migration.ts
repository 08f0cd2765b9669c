import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { workspaces, type StoredWorkspace } from '../../domain/taxonomy/nodes.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { startServer } from '../postgres/server.ts'
import { isPostgres, openPlace } from '../server/store/place.ts'
import { insertCopies } from './measuring/copied-rows.ts'
import { storedTree } from './measuring/tree-platform.ts'

/**
 * Prints how long the first server of a newer version takes to bring 1,000,000 workspaces up to date that it finds by a
 * further column, with an index over it. `npm run bench migration sqlite` and
 * `npm run bench migration postgres` do it on one store.
 */
const [, , , only] = process.argv
const made = 1000
const copies = 999

/** As a newer version declares workspaces. */
const newer: Collection<StoredWorkspace> = {
  ...workspaces,
  columns: { ...workspaces.columns, description: 'STRING' },
  indexes: [...(workspaces.indexes ?? []), ['description']],
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
  const older = isPostgres(place) ? await watched(place) : undefined
  const began = performance.now()
  const store = await openPlace(place, [newer])
  const seconds = (performance.now() - began) / 1000
  const count = await store.count(newer)
  await store.close()
  console.log(`${title}: a column and an index of ${count} workspaces in ${seconds.toFixed(1)} s`)
  if (older)
    console.log(`  the reads of an older server took ${((await older()) / 1000).toFixed(1)} s at most meanwhile`)
}

/** Reads as an older server until it is asked how long the slowest read has taken, in milliseconds. */
async function watched(place: string): Promise<() => Promise<number>> {
  const store = await openPlace(place, [workspaces])
  let slowest = 0
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      // A read that was refused has waited too.
      await store.find(workspaces, { id: 'none' }).catch(() => undefined)
      slowest = Math.max(slowest, performance.now() - began)
      await sleep(50)
    }
  })()
  return async () => {
    over.abort()
    await reading
    await store.close()
    return slowest
  }
}

/** Copies each row as often as is wanted. */
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
