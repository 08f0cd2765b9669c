import type { Transaction } from '../../../domain/ports/store.ts'

/** Returns the names of the collections that a transaction writes from now on; the set grows with the writes. */
export function writtenOf(tx: Transaction): ReadonlySet<string> {
  const written = new Set<string>()
  for (const name of ['insert', 'insertAll', 'update', 'tryUpdate', 'delete', 'deleteAll'] as const) {
    const write: (...call: never) => unknown = tx[name]
    const watched = (collection: { readonly name: string }, ...more: readonly unknown[]): unknown => {
      written.add(collection.name)
      return Reflect.apply(write, tx, [collection, ...more])
    }
    Object.assign(tx, { [name]: watched })
  }
  return written
}

/** Formats the collections of a commit in the order of their names; undefined for a commit without a write. */
export const toldCollections = (written: ReadonlySet<string>): string | undefined =>
  written.size === 0 ? undefined : `of ${[...written].toSorted().join(', ')}`
