import type { Finding } from '../../domain/ports/inspection.ts'
import type { AreaModule } from '../area.ts'
import { inspectOperations, workAt } from '../operations/inspect.ts'
import { storeCollections } from '../platform-store.ts'
import type { SqliteSnapshot } from '../store/snapshot.ts'

/** A finding, and whose rows it is about: those of an area, or of the server itself (`ninefold`). */
export interface AreaFinding extends Finding {
  readonly area: string
}

/**
 * What is wrong in a store: first the file, then documents that are not what their rows say, then durable work and what
 * the areas say of their rows. Each relies on the ones before, so that the first with findings is the last that is told.
 */
export async function* inspectStore(
  snapshot: SqliteSnapshot,
  areas: readonly AreaModule[],
): AsyncGenerator<AreaFinding, void, undefined> {
  let isSound = true
  for await (const finding of inspectFile(snapshot, areas)) {
    isSound = false
    yield { area: 'ninefold', ...finding }
  }
  if (!isSound) return
  const operations = areas.map(({ domain, operations }) => ({ area: domain.name, operations }))
  for await (const finding of inspectOperations(snapshot, operations)) yield { area: 'ninefold', ...finding }
  const inspection = { reader: snapshot, workAt: workAt.bind(undefined, snapshot) }
  for (const { domain, inspect } of areas) {
    if (inspect === undefined) continue
    for await (const finding of inspect(inspection)) yield { area: domain.name, ...finding }
  }
}

async function* inspectFile(
  snapshot: SqliteSnapshot,
  areas: readonly AreaModule[],
): AsyncGenerator<Finding, void, undefined> {
  const damages = snapshot.damages()
  for (const message of damages) yield { resourceType: 'ninefold.store', id: '', message }
  if (damages.length > 0) return
  for (const collection of storeCollections(areas)) {
    for await (const id of snapshot.mismatches(collection)) {
      const message = 'has columns that are not what its document says; filters and look-ups go by the columns'
      yield { resourceType: collection.name, id, message }
    }
  }
}
