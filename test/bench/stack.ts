import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { workspaces } from '../../domain/taxonomy/nodes.ts'
import { startServer } from '../postgres/server.ts'
import { insertCopies } from './measuring/copied-rows.ts'
import { drained, withPending } from './measuring/drain.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { servedTree, type ServedTree } from './measuring/served-tree.ts'

/**
 * Prints the CPU time of whole calls as `ninefold serve` answers them, with access token and decision, without a
 * listener, beside the bare driver: over 100,000 and 1,000,000 workspaces of one organisation, in a file of SQLite and
 * on PostgreSQL, whose own time is not in it; then operations drained a second of the clock. Takes some minutes, most of
 * them to fill the stores. `npm run bench stack sqlite` leaves PostgreSQL out.
 */
const [, , , only] = process.argv
const sizes = [100_000, 1_000_000]
const suspended = 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED'

for (const size of sizes) await printStore(`SQLite, ${size} workspaces`, size)
const folder = mkdtempSync(join(tmpdir(), 'ninefold-stack-'))
try {
  await printDrained('SQLite', join(folder, 'drained.sqlite'))
} finally {
  rmSync(folder, { recursive: true })
}
if (only !== 'sqlite') {
  for (const size of sizes) await onServer(url => printStore(`PostgreSQL, ${size} workspaces`, size, url))
  await onServer(url => printDrained('PostgreSQL', url))
}

/** Gives a server of PostgreSQL of its own, which is empty, to what is measured. */
async function onServer(use: (url: string) => Promise<void>): Promise<void> {
  const server = await startServer()
  try {
    await use(server.url)
  } finally {
    await server.stop()
  }
}

async function printDrained(title: string, place: string): Promise<void> {
  const perSecond = await withPending(place, 100, bench => drained(bench, place, 1))
  console.log(`\n${title}: ${perSecond.toFixed(0)} operations drained a second by one process`)
}

/** A statement of the bare driver, prepared once. */
type Statement = (...parameters: string[]) => unknown

interface Driver {
  prepare(name: string, sql: string): Statement
  /** Of all that is stored, indexes included. */
  bytes(): Promise<number>
  close(): Promise<void>
}

async function printStore(title: string, size: number, url?: string): Promise<void> {
  const tree = await servedTree({ groups: 300, workspaces: size }, url)
  const driver = url === undefined ? sqliteDriver(tree.place) : await postgresDriver(url)
  try {
    const bytes = (await driver.bytes()) / size
    console.log(`\n${title}: ${Math.round(bytes)} bytes a workspace, with its indexes`)
    for (const [what, contenders] of await callsOf(tree, driver)) {
      const times = await measure(contenders)
      const rows = contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN] as const)
      printGroup(`${title}: ${what}`, rows)
    }
  } finally {
    await driver.close()
    await tree.close()
  }
}

function sqliteDriver(file: string): Driver {
  const database = new DatabaseSync(file, { returnArrays: true, timeout: 5000 })
  database.exec('PRAGMA synchronous = FULL')
  return {
    prepare(_name, sql) {
      const statement = database.prepare(sql)
      return (...parameters) => statement.all(...parameters)
    },
    bytes: async () => statSync(file).size,
    close: async () => database.close(),
  }
}

async function postgresDriver(url: string): Promise<Driver> {
  const client = new Client(url)
  await client.connect()
  return {
    prepare(name, sql) {
      let count = 0
      const text = sql.replace(/\?/g, () => `$${(count += 1)}`)
      return (...values) => client.query({ name, text, values, rowMode: 'array' })
    },
    async bytes() {
      const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size')
      return Number(rows[0]?.size)
    },
    close: () => client.end(),
  }
}

async function callsOf(
  tree: ServedTree,
  driver: Driver,
): Promise<readonly (readonly [string, readonly Contender[]])[]> {
  const { groups, organisation } = tree
  const base = `/taxonomy/v1/organisations/${organisation}/workspaces`
  const list = `${base}?filter=${encodeURIComponent(`state = ${suspended}`)}`
  const first: { readonly workspaces: readonly { readonly id: string }[] } = JSON.parse(await tree.call('GET', list))
  const id = first.workspaces[0]?.id ?? ''
  const columns = '_key, _version, _body, parent_group_id, state'
  const one = driver.prepare('one', 'SELECT _key, _version, _body FROM taxonomy_workspaces WHERE _key = ?')
  const page = driver.prepare(
    'page',
    `SELECT ${columns} FROM taxonomy_workspaces WHERE organisation_id = ? AND state = ? ORDER BY name, _key LIMIT 21`,
  )
  const workspace = { parent_group_id: groups[5] }
  const insert = driver.prepare(
    'insert',
    `${insertCopies(tree.place, workspaces, '?')} FROM taxonomy_workspaces WHERE _key = ?`,
  )
  const copy = (suffix: string) => insert(suffix, suffix, id)
  let copies = 0
  let made = 0
  return [
    ['get', [once('the bare driver', () => one(id)), once('getWorkspace', () => tree.call('GET', `${base}/${id}`))]],
    [
      'a list of 20 by an indexed filter',
      [
        once('the bare driver', () => page(organisation, suspended)),
        once('listWorkspaces', () => tree.call('GET', list)),
      ],
    ],
    [
      'a durable create',
      [
        once('the bare driver', () => copy(String((copies += 1)))),
        once('createWorkspace', () => tree.call('POST', base, { ...workspace, name: `made-${(made += 1)}` })),
      ],
    ],
  ]
}

function once(name: string, run: () => unknown): Contender {
  return { name, run, units: 1 }
}
