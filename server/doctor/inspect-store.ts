import { inspectReferences } from '../../domain/resources/inspect.ts'
import type { AreaFacts, Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import type { AreaModule } from '../area.ts'
import type { AreaHost } from '../area-host.ts'
import { inspectOperations, workAt } from '../operations/inspect.ts'
import { storeCollections, type StorePlace } from '../platform-store.ts'
import type { GivenSettings } from '../settings/values.ts'
import { sqliteCode } from '../store/sqlite/errors.ts'
import type { StoreSnapshot } from '../store/snapshot.ts'
import { restoreAdvice } from '../store/sqlite/store-file.ts'
import { ReadableRows } from './readable.ts'

/** A finding, and the owner of its rows: an area, or the server itself (`ninefold`). */
export interface AreaFinding extends Finding {
  readonly area: string
}

type Findings<F extends Finding> = AsyncGenerator<F, void, undefined>

const own = 'ninefold'

/** The place of a store, and the given values of the settings of areas, by which the areas find their files. */
export interface InspectedPlace extends StorePlace {
  readonly given?: GivenSettings
}

/** What areas have on the host of a doctor beside the store, keyed by the name of the area. */
export type HostsByArea = ReadonlyMap<string, AreaHost>

/**
 * Returns what areas have on this host beside the store of a place. Must be called before the snapshot of the store is
 * opened.
 */
export function hostsOf(areas: readonly AreaModule[], { dataDir, given, storeUrl }: InspectedPlace): HostsByArea {
  const place = { dataDir, hasStore: storeUrl === undefined, ...(given && { given }) }
  return new Map(areas.flatMap(({ domain, host }) => (host ? [[domain.name, host(place)] as const] : [])))
}

/**
 * Yields the findings about a store: first about the file, then about rows that contradict their documents, then about
 * durable work and by the checkers of the areas. A damaged file ends the checks, and so do columns that contradict
 * their documents, because later stages rely on both. Unreadable documents are reported, and later stages treat them as
 * absent. `hosts` has the files and processes that the areas compare with the rows; without `hosts`, only the store is
 * checked.
 */
export async function* inspectStore(
  snapshot: StoreSnapshot,
  areas: readonly AreaModule[],
  hosts: HostsByArea = new Map(),
): Findings<AreaFinding> {
  const damages = await snapshot.damages()
  if (damages.length > 0) return yield* damagesOf(snapshot.store, damages)
  let reader: Reader = snapshot
  let isStale = false
  for await (const { finding, isDamaged } of inspectRows(snapshot, areas)) {
    if (isDamaged) reader = new ReadableRows(snapshot)
    else isStale = true
    yield finding
  }
  if (!isStale) yield* inspectMeaning(reader, areas, hosts)
}

function* damagesOf(file: string, damages: readonly string[]): Generator<AreaFinding, void, undefined> {
  const rescue = 'what can still be read of it is saved by the command .recover of sqlite3'
  for (const message of [`the file is damaged; ${restoreAdvice}; ${rescue}`, ...damages]) {
    yield { area: own, resourceType: 'ninefold.store', id: file, message }
  }
}

async function* inspectRows(snapshot: StoreSnapshot, areas: readonly AreaModule[]) {
  for (const collection of storeCollections(areas)) {
    for await (const { damage, key } of snapshot.mismatches(collection)) {
      const message =
        damage === undefined
          ? 'has columns that are not what its document says; filters and look-ups go by the columns'
          : `has a damaged document: ${damage}; restore it from a backup; what follows is checked without it`
      const finding: AreaFinding = { area: own, resourceType: collection.name, id: key, message }
      yield { finding, isDamaged: damage !== undefined }
    }
  }
}

async function* inspectMeaning(
  reader: Reader,
  areas: readonly AreaModule[],
  hosts: HostsByArea,
): Findings<AreaFinding> {
  const operations = areas.map(({ domain, operations }) => ({ area: domain.name, operations }))
  yield* guarded(own, inspectOperations(reader, operations))
  const kinds = areas.flatMap(area => area.kinds)
  yield* guarded(own, inspectReferences(reader, kinds))
  const facts: Partial<AreaFacts> = Object.assign({}, ...areas.map(area => area.facts ?? {}))
  const inspection = { reader, facts, workAt: workAt.bind(undefined, reader) }
  for (const { domain, inspect } of areas) if (inspect) yield* guarded(domain.name, inspect(inspection))
  for (const [area, { checks }] of hosts) for (const check of checks) yield* guarded(area, check(inspection))
}

/**
 * Yields the findings of one checker. An error of a checker, from a document of an impossible shape, becomes a finding
 * and ends only that checker. Throws the errors of SQLite.
 */
async function* guarded(area: string, findings: Findings<Finding>): Findings<AreaFinding> {
  try {
    for await (const finding of findings) yield { area, ...finding }
  } catch (error) {
    if (sqliteCode(error) !== undefined) throw error
    const cause = error instanceof Error ? error.message : String(error)
    const message = `could not be ended: ${cause}; a document lacks what ${area} always writes into it, and the rest of ${area} is not checked`
    yield { area: own, resourceType: 'ninefold.checks', id: area, message }
  }
}
