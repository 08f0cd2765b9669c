import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Finding, Inspect } from '../../../domain/ports/inspection.ts'
import type { Reader } from '../../../domain/ports/store.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { isUuid } from '../../../runtime/formats.ts'
import { MetricPlaces, namesIn, SignalPlaces, telemetryFolder } from './files/places.ts'
import { faultsIn, numberOf, rows } from './files/file-checks.ts'
import { decodeChunk, MalformedSamples } from './format/chunk.ts'
import { hashOfKey, labelsOfKey } from '../../../domain/observability/metrics/label-key.ts'
import { decodePart, requireUnchanged } from './format/part.ts'
import { extent } from './format/samples.ts'
import { logFaults } from './logs/log-checks.ts'
import { traceFaults } from './traces/trace-checks.ts'

/**
 * Returns the check of the files of telemetry on a host: files that are damaged, samples of series that the index has
 * never had, and folders of workspaces that the store does not have.
 */
export function telemetryCheck(dataDir: string): Inspect {
  const root = telemetryFolder(dataDir)
  const before = workspacesIn(root)
  return ({ reader }) => inspectTelemetry(reader, root, before)
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
    for (const message of logFaults(new SignalPlaces(root, id, 'logs')))
      yield { resourceType: 'observability.logs', id, message }
    for (const message of traceFaults(new SignalPlaces(root, id, 'traces')))
      yield { resourceType: 'observability.traces', id, message }
  }
}

/** Yields the faults of the files of a workspace, as continuations of its name. */
function* faultsOf(places: MetricPlaces): Generator<string> {
  const newest = new Map<number, number>()
  for (const day of places.days()) {
    yield* faultsIn(places.day(day), 'days', database => {
      for (const row of rows(database, 'SELECT first, last, bytes FROM parts')) checkPart(row)
      for (const row of rows(database, 'SELECT start, last, bytes FROM chunks')) checkChunk(row)
      newest.set(day, numberOf(database, 'SELECT max(series) FROM chunks'))
    })
  }
  // The index has a series before the files of days have its samples, so the index is read after these files.
  let last = Infinity
  yield* faultsIn(places.index, 'index', database => {
    for (const row of rows(database, 'SELECT hash, labels FROM series')) checkSeries(row)
    last = numberOf(database, `SELECT seq FROM sqlite_sequence WHERE name = 'series'`)
  })
  // A workspace that is dropped meanwhile has no days left either.
  if (last === Infinity && !existsSync(places.index) && places.days().length > 0)
    yield 'has days, but no index of series'
  for (const [day, series] of newest)
    if (series > last) yield `has samples of a series ${series} in ${basename(places.day(day))}; the index has ${last}`
}

/** Throws if a part is malformed, differs from its checksum, or has other times than its row says. */
function checkPart([first, last, bytes]: readonly unknown[]): void {
  if (!(bytes instanceof Uint8Array)) throw new MalformedSamples('a part has no bytes')
  const { times } = decodePart(bytes)
  requireUnchanged(bytes)
  const is = extent(times)
  if (is.first !== first || is.last !== last) throw new MalformedSamples('a part has other times than its row says')
}

/** Throws if a chunk is malformed, differs from its checksum, or has other times than its row says. */
function checkChunk([start, last, bytes]: readonly unknown[]): void {
  if (!(bytes instanceof Uint8Array)) throw new MalformedSamples('a chunk has no bytes')
  const { times } = decodeChunk(bytes)
  const isSorted = times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0))
  if (!isSorted || times[0] !== start || times.at(-1) !== last)
    throw new MalformedSamples('a chunk has other times than its row says')
}

/** Throws if the labels of a series are malformed, or others than those of its hash. */
function checkSeries([hash, labels]: readonly unknown[]): void {
  labelsOfKey(String(labels))
  if (hashOfKey(String(labels)) !== hash) throw new Error('a series has other labels than its hash says')
}
