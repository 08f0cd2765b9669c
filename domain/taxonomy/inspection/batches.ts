import { hasId, type Collection, type Reader } from '../../ports/store.ts'

/** Rows that are looked at together: so many lookups become one. */
const batchSize = 100

/** Rows in lists of up to 100, in their order. */
export async function* batches<T>(rows: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The documents that exist of some ids, by them. */
export async function documentsOf<T>(
  reader: Reader,
  collection: Collection<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>()
  for await (const { id, value } of reader.each(collection, hasId(collection, ids))) found.set(id, value)
  return found
}
