import type { Collection, Transaction } from '../../ports/store.ts'

/**
 * The rows that serialise changes of the resource pools of a zone. The id is that of the zone, and the version of the row
 * grows with each change of the zone's allocations, of its pools, and of the probes of their deployment targets.
 */
export const zoneLedgers: Collection<{ readonly id: string }> = {
  name: 'topology_zone_ledgers',
  id: 'id',
}

/**
 * Locks the row of a zone until the end of the transaction, or creates the row, and returns its new version. Facts of the
 * zone's pools that were read at the version before are still true.
 *
 * Order of locks, so that no two transactions wait for each other:
 *
 * 1. Changes of resource pools lock the deployment target, the zone, the pool, then this row.
 * 2. Allocations, resizes and releases share the location, share the zone, and then lock this row, the pool, and the row of
 *    the allocation. They meet changes of pools at the zone, and therefore may take
 *    this row before the pool.
 * 3. A probe with another result locks the deployment target, then the rows of its zones in the order of their names.
 * 4. The deletion of a zone locks the zone, then deletes this row.
 */
export async function changeZoneLedger(tx: Transaction, zoneId: string): Promise<number> {
  const ledger = await tx.lock(zoneLedgers, zoneId)
  // The first change of a zone creates the row; a concurrent first change ends in a conflict and is retried.
  const row = { id: zoneId }
  const { version } = ledger
    ? await tx.update(zoneLedgers, zoneId, row, ledger.version)
    : await tx.insert(zoneLedgers, row)
  return version
}

/** Deletes the row of a zone, in the transaction that deletes the zone. */
export async function dropZoneLedger(tx: Transaction, zoneId: string): Promise<void> {
  const ledger = await tx.lock(zoneLedgers, zoneId)
  if (ledger) await tx.delete(zoneLedgers, zoneId, ledger.version)
}
