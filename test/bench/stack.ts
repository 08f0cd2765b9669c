import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas } from '../../server/areas.ts'
import { storeCollections } from '../../server/platform-store.ts'
import { startServer } from '../postgres/server.ts'
import { keyOf, postgresDriver, sqliteDriver, type Driver, type Statement } from './measuring/bare-driver.ts'
import { insertCopies } from './measuring/copied-rows.ts'
import { drained, withPending } from './measuring/drain.ts'
import { measureRounds, type Contender } from './measuring/rounds.ts'
import { printRatio, printSpreads } from './measuring/table.ts'
import { servedTree, type ServedTree } from './measuring/served-tree.ts'

/**
 * This program prints the CPU time of whole calls as `ninefold serve` handles them, with access token and decision but
 * without a listener, compared with the bare driver: over 100,000 and 1,000,000 workspaces of one organisation, in a
 * file of SQLite and on PostgreSQL, whose own CPU time does not count; then the number of operations that end in a
 * second. Both sizes are open at the same time and alternate, so that their ratio depends neither on the machine nor on
 * earlier work. The run takes some minutes, mostly to fill the stores. `npm run bench stack sqlite` leaves PostgreSQL
 * out, `stack sqlite 10000 100000` measures other sizes.
 */

const [, , , ...asked] = process.argv
const onlySqlite = asked[0] === 'sqlite'
const sizes = (onlySqlite ? asked.slice(1) : asked).map(Number)
if (sizes.length === 0) sizes.push(100_000, 1_000_000)
const suspended = 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED'

/**
 * The number of workspaces that the reads alternate between; repeated reads of the same workspace would find all data
 * cached.
 */
const workspacesRead = 10_000

const rounds = 15

/** The number of writes before the measurement; reads run until all their workspaces have been read. */
const writesBefore = 500

await printSizes('SQLite', onSqlite)
const folder = mkdtempSync(join(tmpdir(), 'ninefold-stack-'))
try {
  await printDrained('SQLite', join(folder, 'drained.sqlite'))
} finally {
  rmSync(folder, { recursive: true })
}
if (!onlySqlite) {
  await printSizes('PostgreSQL', onPostgres)
  const server = await startServer()
  try {
    await printDrained('PostgreSQL', server.url)
  } finally {
    await server.stop()
  }
}

async function printDrained(title: string, place: string): Promise<void> {
  const perSecond = await withPending(place, 100, bench => drained(bench, place, 1))
  console.log(`\n${title}: ${perSecond.toFixed(0)} operations drained a second by one process`)
}

/** A filled and served store, and a bare driver on the same store. */
interface Opened {
  readonly size: number
  readonly tree: ServedTree
  readonly driver: Driver
  close(): Promise<void>
}

async function onSqlite(size: number): Promise<Opened> {
  const tree = await servedTree({ groups: 300, workspaces: size })
  const driver = sqliteDriver(tree.place)
  const close = (): Promise<void> => driver.close().then(() => tree.close())
  return { size, tree, driver, close }
}

/** Fills and serves a store on a new PostgreSQL server, and opens a bare driver on the store; returns both. */
async function onPostgres(size: number): Promise<Opened> {
  const server = await startServer()
  try {
    const tree = await servedTree({ groups: 300, workspaces: size }, server.url)
    const driver = await postgresDriver(server.url)
    const close = async (): Promise<void> => {
      await driver.close()
      await tree.close()
      await server.stop()
    }
    return { size, tree, driver, close }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Prints the measurements of each kind of call separately, with the stores of all sizes open at the same time. */
async function printSizes(title: string, open: (size: number) => Promise<Opened>): Promise<void> {
  const opened: Opened[] = []
  try {
    for (const size of sizes) opened.push(await open(size))
    const calls: (readonly Kind[])[] = []
    for (const each of opened) {
      const bytes = (await each.driver.bytes()) / each.size
      console.log(`\n${title}, ${each.size} workspaces: ${Math.round(bytes)} bytes a workspace, with its indexes`)
      calls.push(await kindsOf(each))
    }
    for (const [i, { what, warmUp }] of calls[0]?.entries() ?? []) {
      await printKind(
        `${title}: ${what}`,
        warmUp,
        calls.flatMap(kinds => kinds[i] ?? []),
      )
    }
  } finally {
    for (const { close } of opened) await close()
  }
}

async function printKind(title: string, warmUp: number, kinds: readonly Kind[]): Promise<void> {
  const contenders = kinds.flatMap(({ bare, call }) => [...bare, call])
  const times = await measureRounds(contenders, { rounds, warmUp })
  printSpreads(
    title,
    contenders.map(({ name }, i) => [name, times[i] ?? []]),
  )
  const [small = [], large] = [times[kinds[0]?.bare.length ?? 0], times.at(-1)]
  if (kinds.length > 1 && large) printRatio('the largest size to the smallest', large, small)
}

/** One kind of call to a tree of one size. */
interface Kind {
  readonly what: string
  readonly warmUp: number
  /** The same work with the bare driver, in one or more steps. */
  readonly bare: readonly Contender[]
  readonly call: Contender
}

async function kindsOf({ driver, size, tree }: Omit<Opened, 'close'>): Promise<readonly Kind[]> {
  const { groups, organisation } = tree
  const base = `/taxonomy/v1/organisations/${organisation}/workspaces`
  const ids = await someWorkspaces(driver, organisation)
  const one = driver.prepare('one', 'SELECT _key, _version, _body FROM taxonomy_workspaces WHERE _key = ?')
  const page = (column: string): Statement =>
    driver.prepare(
      column,
      'SELECT _key, _version, _body, parent_group_id, state FROM taxonomy_workspaces ' +
        `WHERE organisation_id = ? AND ${column} = ? ORDER BY name, _key LIMIT 21`,
    )
  const [pageOfState, pageOfParent] = [page('state'), page('parent_group_id')]
  const list = (filter: string): string => `${base}?filter=${encodeURIComponent(filter)}`
  const suspendedOnes = list(`state = ${suspended}`)
  const listsOfParents = groups.map(id => list(`parent_group_id = "${id}"`))
  const kind = (what: string, bare: (i: number) => unknown, name: string, call: (i: number) => unknown): Kind => ({
    what,
    warmUp: workspacesRead,
    bare: [counted(`the bare driver, ${size} workspaces`, bare)],
    call: counted(`${name}, ${size} workspaces`, call),
  })
  return [
    kind(
      'get, each time another one',
      i => one(nth(ids, i)),
      'getWorkspace',
      i => tree.call('GET', `${base}/${nth(ids, i)}`),
    ),
    kind(
      'a list of 20 by an indexed filter',
      () => pageOfState(organisation, suspended),
      'listWorkspaces',
      () => tree.call('GET', suspendedOnes),
    ),
    kind(
      'a list of 20 of a group, each time another one',
      i => pageOfParent(organisation, nth(groups, i)),
      'listWorkspaces',
      i => tree.call('GET', nth(listsOfParents, i)),
    ),
    await createOf({ driver, size, tree }, base),
  ]
}

/**
 * Returns a durable create and its work with the bare driver: first only the row of the workspace, then all rows of a
 * create: the workspace, its account, their counts, the operation and the audit entry.
 */
async function createOf({ driver, size, tree }: Omit<Opened, 'close'>, base: string): Promise<Kind> {
  const body = { parent_group_id: tree.groups[5] }
  const make = (name: string): Promise<string> => tree.call('POST', base, { ...body, name })
  const made: { readonly id: string; readonly resource_id: string } = JSON.parse(await make('the-model'))
  const workspace = made.resource_id
  const ofWorkspace = (table: string): Promise<string> => keyOf(driver, table, `workspace_id = '${workspace}'`)
  const copies: readonly (readonly [table: string, key: string])[] = [
    ['taxonomy_workspaces', workspace],
    ['taxonomy_operations', made.id],
    ['iam_service_accounts', await ofWorkspace('iam_service_accounts')],
    ['iam_principals', await ofWorkspace('iam_principals')],
    ['taxonomy_quota_usages', await ofWorkspace('taxonomy_quota_usages')],
    ['ninefold_activity_outbox', await keyOf(driver, 'ninefold_activity_outbox', 'TRUE')],
  ]
  const inserts = copies.map(([table, key]) => {
    const collection = storeCollections(areas).find(({ name }) => name === table)
    if (collection === undefined) throw new Error(`there is no collection ${table}`)
    const sql = `${insertCopies(tree.place, collection, '?')} FROM ${table} WHERE _key = ?`
    const suffixes = sql.split('?').length - 2
    const insert = driver.prepare(`copy-${table}`, sql)
    return (suffix: string): unknown => insert(...Array.from({ length: suffixes }, () => suffix), key)
  })
  const updates = ['taxonomy_trees WHERE _key', 'taxonomy_quota_totals WHERE organisation_id'].map(row => {
    const [table = '', rest = ''] = row.split(' WHERE ')
    const sql = `UPDATE ${table} SET _body = _body, _version = _version + 1 WHERE ${rest} = ?`
    return driver.prepare(`touch-${table}`, sql)
  })
  const copyAll = (suffix: string): Promise<void> =>
    driver.durably(async () => {
      for (const insert of inserts) await insert(suffix)
      for (const update of updates) await update(tree.organisation)
    })
  return {
    what: 'a durable create',
    warmUp: writesBefore,
    bare: [
      counted(`the bare driver, one row, ${size} workspaces`, i => inserts[0]?.(`one-${i}`)),
      counted(`the bare driver, all rows, ${size} workspaces`, i => copyAll(`all-${i}`)),
    ],
    call: counted(`createWorkspace, ${size} workspaces`, i => make(`made-${i}`)),
  }
}

/** Returns ids of random workspaces of an organisation. */
async function someWorkspaces(driver: Driver, organisation: string): Promise<readonly string[]> {
  const sql = `SELECT _key FROM taxonomy_workspaces WHERE organisation_id = ? ORDER BY random() LIMIT ${workspacesRead}`
  const rows: unknown = await driver.prepare('some', sql)(organisation)
  return Array.isArray(rows) ? rows.map(([id]: readonly unknown[]) => String(id)) : []
}

function nth(texts: readonly string[], i: number): string {
  return texts[i % texts.length] ?? ''
}

/** Returns a contender whose function receives the number of its earlier runs. */
function counted(name: string, run: (i: number) => unknown): Contender {
  let done = 0
  return { name, run: () => run(done++), units: 1 }
}
