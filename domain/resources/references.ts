import type { Collection, Reader, Transaction } from '../ports/store.ts'

/** A row by its kind: `network.vpcs` and the id. */
export interface Target {
  readonly type: string
  readonly id: string
}

/** A reference from one row to another (conventions §3). */
export interface StoredReference {
  /** `<target type>/<target id>/<holder type>/<holder id>`. */
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
 * Records that `holder` refers to `target`, in the transaction of the holder, which holds the target by `share` or
 * `lock`. Recording the same reference twice has no further effect.
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

/** Deletes one reference of `holder`, if it is recorded. */
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

/** Counts the holders of a row by their type; empty if no row refers to it. */
export const referencesTo = (reader: Reader, { id, type }: Target): Promise<ReadonlyMap<string, number>> =>
  reader.tally(references, 'holder_type', { target_type: type, target_id: id })

/** Deletes all references from and to a row, in the transaction that purges the row. */
export async function forgetRow(tx: Transaction, row: Target): Promise<void> {
  await dropReferencesOf(tx, row)
  for await (const reference of tx.each(references, { target_type: row.type, target_id: row.id }))
    await tx.delete(references, reference.id, reference.version)
}
