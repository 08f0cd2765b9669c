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

/**
 * Formats the collections of a commit in the order of their names; undefined for a commit without a write. `told` grows by
 * the text, and a text that it had gets another one.
 */
export function toldCollections(written: ReadonlySet<string>, told?: Set<string>): string | undefined {
  if (written.size === 0) return undefined
  const text = `of ${[...written].toSorted().join(', ')}`
  const isRepeated = told?.has(text) === true
  told?.add(text)
  return isRepeated ? `${text} again` : text
}
