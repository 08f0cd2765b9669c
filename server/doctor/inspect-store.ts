import { inspectReferences } from '../../domain/resources/inspect.ts'
import type { AreaFacts, Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import type { AreaFiles, AreaModule } from '../area.ts'
import { inspectOperations, workAt } from '../operations/inspect.ts'
import { storeCollections, type StorePlace } from '../platform-store.ts'
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

/** The files of areas in a data folder, keyed by the name of the area. */
export type FilesByArea = ReadonlyMap<string, AreaFiles>

/** The host on which a doctor runs, with the folder for all data of the server. */
export interface InspectedHost {
  readonly files: FilesByArea
  readonly dataDir: string
}

/**
 * Returns the files of areas in the data folder of a place; empty for a store in a database. Must be called before the
 * snapshot of the store is opened.
 */
export function filesOf(areas: readonly AreaModule[], { dataDir, storeUrl }: StorePlace): FilesByArea {
  if (storeUrl !== undefined) return new Map()
  return new Map(areas.flatMap(({ domain, files }) => (files ? [[domain.name, files(dataDir)] as const] : [])))
}

/**
 * Yields the findings about a store: first about the file, then about rows that contradict their documents, then about
 * durable work and by the checkers of the areas. A damaged file ends the checks, and so do columns that contradict
 * their documents, because later stages rely on both. Unreadable documents are reported, and later stages treat them as
 * absent. `host` has what the areas compare with the rows beside the store: their files, and the files and processes of
 * this host; without `host`, only the store is checked.
 */
export async function* inspectStore(
  snapshot: StoreSnapshot,
  areas: readonly AreaModule[],
  host?: InspectedHost,
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
  if (!isStale) yield* inspectMeaning(reader, areas, host)
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
  host: InspectedHost | undefined,
): Findings<AreaFinding> {
  const operations = areas.map(({ domain, operations }) => ({ area: domain.name, operations }))
  yield* guarded(own, inspectOperations(reader, operations))
  const kinds = areas.flatMap(area => area.kinds)
  yield* guarded(own, inspectReferences(reader, kinds))
  const facts: Partial<AreaFacts> = Object.assign({}, ...areas.map(area => area.facts ?? {}))
  const inspection = { reader, facts, workAt: workAt.bind(undefined, reader) }
  for (const { domain, inspect } of areas) if (inspect) yield* guarded(domain.name, inspect(inspection))
  if (host === undefined) return
  for (const [area, { inspect }] of host.files) yield* guarded(area, inspect(inspection))
  for (const { domain, inspectHost } of areas)
    if (inspectHost) yield* guarded(domain.name, inspectHost(inspection, host.dataDir))
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
