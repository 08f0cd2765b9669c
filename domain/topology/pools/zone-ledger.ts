import type { Collection, Transaction } from '../../ports/store.ts'

/**
 * The ledger rows, by which transactions that change the resource pools or allocations of a zone wait for each other.
 * The id of a row is the id of the zone. The version of the row grows with each change of the zone's allocations, of
 * its pools, and of the probe results of their deployment targets.
 */
export const zoneLedgers: Collection<{ readonly id: string }> = {
  name: 'topology_zone_ledgers',
  id: 'id',
}

/**
 * Locks the ledger row of a zone until the end of the transaction, or creates the row, and returns the new version of
 * the row. Facts of the zone's pools that were read at the version before are still true.
 *
 * All transactions take their locks in these orders, so that no two transactions wait for each other:
 *
 * 1. A change of a resource pool locks the deployment target, the zone, the pool, then the ledger row.
 * 2. An allocation, resize or release shares the location and the zone, and then locks the ledger row, the pool, and
 *    the row of the allocation. An allocation and a change of a pool exclude each other at the zone, and therefore may
 *    lock the ledger row and the pool in different orders.
 * 3. A probe with another result locks the deployment target, then the ledger rows of the zones in the order of the
 *    zone names.
 * 4. The deletion of a zone locks the zone, then the ledger row, and deletes both.
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

/** Deletes the ledger row of a zone, in the transaction that deletes the zone. */
export async function dropZoneLedger(tx: Transaction, zoneId: string): Promise<void> {
  const ledger = await tx.lock(zoneLedgers, zoneId)
  if (ledger) await tx.delete(zoneLedgers, zoneId, ledger.version)
}
