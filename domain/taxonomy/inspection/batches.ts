import { hasId, type Collection, type Reader } from '../../ports/store.ts'

/** The number of rows that are checked together, so that one statement can read the rows to which they refer. */
const batchSize = 100

/** Groups rows into lists of up to 100, in their order. */
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

/** Returns the existing documents with these ids, keyed by id. */
export async function documentsOf<T>(
  reader: Reader,
  collection: Collection<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>()
  for await (const { id, value } of reader.each(collection, hasId(collection, ids))) found.set(id, value)
  return found
}
