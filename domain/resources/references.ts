import type { Collection, Reader, Transaction } from '../ports/store.ts'

/** The identity of a row: its type, for example `network.vpcs`, and its id. */
export interface Target {
  readonly type: string
  readonly id: string
}

/** A reference from one row to another (conventions §3). */
export interface StoredReference {
  /** The id in the form `<target type>/<target id>/<holder type>/<holder id>`. */
  readonly id: string
  readonly target_type: string
  readonly target_id: string
  readonly holder_type: string
  readonly holder_id: string
}

/** The references of all areas, in one table. */
export const references: Collection<StoredReference> = {
  name: 'ninefold_references',
  id: 'id',
  columns: { target_type: 'STRING', target_id: 'STRING', holder_type: 'STRING', holder_id: 'STRING' },
  indexes: [
    ['target_type', 'target_id'],
    ['holder_type', 'holder_id'],
  ],
}

/**
 * Records that `holder` refers to `target`, in the transaction that writes the holder. The transaction must have shared
 * or locked the target before. A second record of the same reference has no effect.
 */
export async function addReference(tx: Transaction, target: Target, holder: Target): Promise<void> {
  const id = [target.type, target.id, holder.type, holder.id].join('/')
  if (await tx.get(references, id)) return
  await tx.insert(references, {
    id,
    target_type: target.type,
    target_id: target.id,
    holder_type: holder.type,
    holder_id: holder.id,
  })
}

/** Deletes one reference of `holder`; does nothing if the reference is not recorded. */
export async function dropReference(tx: Transaction, target: Target, holder: Target): Promise<void> {
  const id = [target.type, target.id, holder.type, holder.id].join('/')
  const stored = await tx.get(references, id)
  if (stored) await tx.delete(references, id, stored.version)
}

/** Deletes all references from a holder, in the transaction that deletes the holder. */
export async function dropReferencesOf(tx: Transaction, { id, type }: Target): Promise<void> {
  for await (const reference of tx.each(references, { holder_type: type, holder_id: id }))
    await tx.delete(references, reference.id, reference.version)
}

/** Counts the rows that refer to a row, keyed by the type of these rows; the map is empty if no row refers to it. */
export const referencesTo = (reader: Reader, { id, type }: Target): Promise<ReadonlyMap<string, number>> =>
  reader.tally(references, 'holder_type', { target_type: type, target_id: id })

/** Deletes all references from and to a row, in the transaction that purges the row. */
export async function forgetRow(tx: Transaction, row: Target): Promise<void> {
  await dropReferencesOf(tx, row)
  for await (const reference of tx.each(references, { target_type: row.type, target_id: row.id }))
    await tx.delete(references, reference.id, reference.version)
}
