import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Finding } from '../../../domain/ports/inspection.ts'
import type { Reader } from '../../../domain/ports/store.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { AreaHost } from '../../area-host.ts'
import { MetricPlaces, namesIn, telemetryFolder } from './files/places.ts'
import { FileFault, openForReading, rowOf, type FileKind } from './files/telemetry-file.ts'
import { decodeChunk } from './format/chunk.ts'
import { labelsOfKey } from '../../../domain/observability/metrics/label-key.ts'
import { decodePart } from './format/part.ts'

/**
 * Returns the check of the files of telemetry on a host: files that are damaged, samples of series that the index has
 * never had, and folders of workspaces that the store does not have.
 */
export function telemetryHost({ dataDir }: { readonly dataDir: string }): AreaHost {
  const root = telemetryFolder(dataDir)
  const before = workspacesIn(root)
  return { checks: [({ reader }) => inspectTelemetry(reader, root, before)] }
}

const workspacesIn = (root: string): readonly string[] => namesIn(root).filter(isUuid)

/** `before` are the workspaces with a folder before the snapshot of the store. */
async function* inspectTelemetry(
  reader: Reader,
  root: string,
  before: readonly string[],
): AsyncGenerator<Finding, void, undefined> {
  for (const id of before) {
    const told = (message: string): Finding => ({ resourceType: 'observability.metrics', id, message })
    const isKnown = (await reader.get(workspaces, id)) !== undefined
    // The folder of a deleted workspace is deleted after the rows.
    if (!isKnown && workspacesIn(root).includes(id)) yield told('has telemetry, and the store has no such workspace')
    for (const fault of faultsOf(new MetricPlaces(root, id))) yield told(fault)
  }
}

/** Yields the faults of the files of a workspace, as continuations of its name. */
function* faultsOf(places: MetricPlaces): Generator<string> {
  const newest = new Map<number, number>()
  for (const day of places.days()) {
    yield* faultsIn(places.day(day), 'days', database => {
      for (const [bytes] of rows(database, 'SELECT bytes FROM parts'))
        if (bytes instanceof Uint8Array) decodePart(bytes)
      for (const [bytes] of rows(database, 'SELECT bytes FROM chunks'))
        if (bytes instanceof Uint8Array) decodeChunk(bytes)
      newest.set(day, numberOf(database, 'SELECT max(series) FROM chunks'))
    })
  }
  // The index has a series before the files of days have its samples, so the index is read after these files.
  let last = Infinity
  yield* faultsIn(places.index, 'index', database => {
    for (const [labels] of rows(database, 'SELECT labels FROM series')) labelsOfKey(String(labels))
    last = numberOf(database, `SELECT seq FROM sqlite_sequence WHERE name = 'series'`)
  })
  // A workspace that is dropped meanwhile has no days left either.
  if (last === Infinity && !existsSync(places.index) && places.days().length > 0)
    yield 'has days, but no index of series'
  for (const [day, series] of newest)
    if (series > last) yield `has samples of a series ${series} in ${basename(places.day(day))}; the index has ${last}`
}

/** Yields the fault of a file: what SQLite finds, or else what `check` throws. */
function* faultsIn(file: string, kind: FileKind, check: (database: DatabaseSync) => void): Generator<string> {
  const fault = faultOf(file, kind, check)
  if (fault !== undefined) yield `has a damaged file: ${basename(file)} ${fault}`
}

function faultOf(file: string, kind: FileKind, check: (database: DatabaseSync) => void): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = openForReading(file, kind)
    if (database === undefined) return undefined
    const [[found] = []] = rows(database, 'PRAGMA quick_check(1)')
    if (found !== 'ok') return String(found)
    check(database)
    return undefined
  } catch (error) {
    if (error instanceof FileFault) return error.message.slice(error.file.length + 1)
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    database?.close()
  }
}

const rows = (database: DatabaseSync, sql: string): Iterable<unknown[]> =>
  database.prepare(sql).iterate() as unknown as Iterable<unknown[]>

const numberOf = (database: DatabaseSync, sql: string): number =>
  rowOf<[number | null]>(database.prepare(sql))?.[0] ?? 0
