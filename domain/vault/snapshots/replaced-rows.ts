import { sharedWhere, type Collection, type Transaction } from '../../ports/store.ts'
import { capsuleCollection, capsuleState } from '../capsules/capsules-store.ts'
import { authorityCollection, authorityState } from '../certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../certificates/certificates-store.ts'
import { isInState, keyVersionCollection } from '../keys/key-versions-store.ts'
import { revocationCollection } from '../revoked/lists-store.ts'
import { secretVersionCollection } from '../secrets/secret-versions-store.ts'

/** The rows of one table of a replaced vault. */
interface Clearing {
  readonly table: string
  /** Deletes the rows except the tombstones. */
  readonly clear: (tx: Transaction) => Promise<void>
  /** Deletes the tombstones that have a unique value of a row of the snapshot, such as its name. */
  readonly yieldTo: (tx: Transaction, id: string, row: Readonly<Record<string, unknown>>) => Promise<void>
}

const clearing = <T>(collection: Collection<T>, isTombstone: (row: T) => boolean): Clearing => ({
  table: collection.name,
  async clear(tx) {
    for await (const { id, value, version } of tx.each(collection))
      if (!isTombstone(value)) await tx.delete(collection, id, version)
  },
  async yieldTo(tx, id, row) {
    for (const { fields } of collection.uniques ?? []) {
      const values = Object.fromEntries(fields.map(field => [field, String(row[field])]))
      const other = await tx.find(collection, sharedWhere(collection, values))
      if (other && other.id !== id && isTombstone(other.value)) await tx.delete(collection, other.id, other.version)
    }
  },
})

/**
 * The tables with tombstones: rows of the replaced vault whose end a restore must not undo, whatever the snapshot says.
 */
const clearings: readonly Clearing[] = [
  clearing(secretVersionCollection, ({ state }) => state === 'VAULT_SECRET_VERSION_STATE_DESTROYED'),
  clearing(keyVersionCollection, version => isInState(version, 'DESTROYED')),
  clearing(capsuleCollection, ({ state }) => state !== capsuleState('ACTIVE')),
  clearing(certificateCollection, ({ state }) => state === certificateState('REVOKED')),
  clearing(revocationCollection, () => true),
  clearing(authorityCollection, ({ state }) => state === authorityState('REVOKED')),
]

/** The names of the tables with tombstones. */
export const tombstoneTables: ReadonlySet<string> = new Set(clearings.map(({ table }) => table))

/** Deletes the rows of a vault that a restore replaces, except the tombstones. */
export async function clearRows(tx: Transaction, collections: readonly Collection<never>[]): Promise<void> {
  for (const collection of collections) {
    const own = clearings.find(({ table }) => table === collection.name) ?? clearing(collection, () => false)
    await own.clear(tx)
  }
}

/**
 * Makes room for a row of the snapshot: a tombstone of a later resource with the same name would refuse the whole restore.
 * The revocation of a certificate or authority is a row of its own, which stays.
 */
export async function dropNamesakes(
  tx: Transaction,
  { name }: Collection<never>,
  id: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  await clearings.find(({ table }) => table === name)?.yieldTo(tx, id, row)
}
