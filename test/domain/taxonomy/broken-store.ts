import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import { inspectStore } from '../../../server/doctor/inspect-store.ts'
import { areas } from '../../../server/areas.ts'
import { openStore, openStoreSnapshot, storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { layoutOf } from '../../../server/store/layout.ts'
import { postgresDialect } from '../../../server/store/postgres/dialect.ts'
import { sqliteDialect } from '../../../server/store/sqlite/dialect.ts'
import { copyPlace, openBeside, runSql, testStorePlace } from '../../server/store/left-place.ts'
import { testAreas } from './areas.ts'
import { platformOver, TreeMaker, type Caller } from './platform.ts'
import { afterTests } from '../../undo.ts'

/**
 * The ids of rows, keyed by name: organisation `acme` contains group `eng` with group `plat`; workspace `web` (with 2
 * vcpus) lies in `plat`, and the archived workspace `old` lies directly in `acme`. `cap` is a quota override at `eng`.
 * Organisation `other` contains group `theirs`.
 */
export type Names = Readonly<Record<'acme' | 'eng' | 'plat' | 'web' | 'old' | 'other' | 'theirs' | 'cap', string>>

/** A store that a stopped platform has left; tests break copies of this store. */
export interface LeftStore {
  readonly names: Names
  /** Copies the store to a new place, which exists until the end of the running test; returns the copy. */
  copy(): Promise<BreakableStore>
}

/** A store whose rows a test may change without the checks of the platform. */
export interface BreakableStore {
  readonly place: StorePlace
  /** Changes documents through the store, after the unique indexes of `tables` are dropped. */
  change(fn: (tx: Transaction) => Promise<unknown>, ...tables: readonly string[]): Promise<void>
  /** Changes rows by SQL, in ways that the store never would. */
  sql(statement: string): Promise<void>
  /** Returns the doctor's findings as `<type> <id>: <message>`, with names in place of known ids. */
  findings(): Promise<readonly string[]>
}

/** The collections of the test platform and of the areas of the server. */
const leftCollections = [
  ...new Map([...storeCollections(testAreas()), ...storeCollections(areas)].map(each => [each.name, each])).values(),
]

/**
 * Creates the tree of `Names` on a platform, and stops the platform; returns the ids and a function that copies the
 * store.
 */
export async function leftStore(): Promise<LeftStore> {
  const place = await testStorePlace(afterTests)
  const { close, ...caller } = await platformOver(place)
  const names = await makeTree(caller)
  await close()
  // The command checks the collections of every area of the server, so their tables must exist.
  await (await openStore(place, areas)).close()
  return { names, copy: () => copyOf(place, names) }
}

async function makeTree({ addThing, client }: Caller): Promise<Names> {
  const tree = await TreeMaker.make(client, 'acme')
  const { organisation: acme } = tree
  const eng = await tree.group('eng')
  const plat = await tree.group('plat', eng)
  const web = await tree.workspace('web', plat)
  const old = await tree.workspace('old')
  await addThing(web, { vcpus: 2 })
  await client.waitOperation(await client.archiveWorkspace({ organisation: acme, id: old, body: {} }))
  const body = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: eng, limit: 8 } as const
  const { resource_id: cap } = await client.createQuotaOverride({ quota: 'compute.vcpus', body })
  const others = await TreeMaker.make(client, 'other')
  return { acme, eng, plat, web, old, cap, other: others.organisation, theirs: await others.group('theirs') }
}

async function copyOf(left: StorePlace, names: Names): Promise<BreakableStore> {
  const place = await copyPlace(left, leftCollections)
  const tested = testAreas()
  const sql = (statement: string): Promise<void> => runSql(place, statement)
  return {
    place,
    async change(fn, ...tables) {
      const store = await openBeside(place, storeCollections(tested))
      for (const table of tables) for (const name of uniqueIndexes(place, table)) await sql(`DROP INDEX ${name}`)
      await store.tx(fn)
      await store.close()
    },
    sql,
    async findings() {
      const snapshot = await openStoreSnapshot(place, tested)
      const told: string[] = []
      for await (const { id, message, resourceType } of inspectStore(snapshot, tested)) {
        told.push(named(names, `${resourceType} ${id}: ${message}`))
      }
      await snapshot.close()
      return told
    },
  }
}

/** Returns the names of the indexes that enforce the unique sets of a table. */
function uniqueIndexes({ storeUrl }: StorePlace, table: string): readonly string[] {
  const dialect = storeUrl === undefined ? sqliteDialect : postgresDialect
  const found = storeCollections(testAreas()).filter(({ name }) => name === table)
  const indexes = found.flatMap(collection => layoutOf(collection, dialect).indexes)
  return indexes.filter(({ unique }) => unique !== undefined).map(({ name }) => name)
}

function named(names: Names, text: string): string {
  return Object.entries(names).reduce((told, [name, id]) => told.replaceAll(id, name), text)
}

/** Replaces members of a document. */
export async function patch<T>(tx: Transaction, collection: Collection<T>, id: string, changes: Partial<T>) {
  const stored = await tx.get(collection, id)
  if (stored === undefined) throw new Error(`${collection.name} has no ${id}`)
  await tx.update(collection, id, { ...stored.value, ...changes }, stored.version)
}

/** Inserts a copy of a document with some members replaced. */
export async function copy<T>(tx: Transaction, collection: Collection<T>, id: string, changes: Partial<T>) {
  const stored = await tx.get(collection, id)
  if (stored === undefined) throw new Error(`${collection.name} has no ${id}`)
  await tx.insert(collection, { ...stored.value, ...changes })
}

export async function remove<T>(tx: Transaction, collection: Collection<T>, id: string): Promise<void> {
  const stored = await tx.get(collection, id)
  if (stored === undefined) throw new Error(`${collection.name} has no ${id}`)
  await tx.delete(collection, id, stored.version)
}
