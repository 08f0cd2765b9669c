import type { Store, Transaction } from '../ports/store.ts'
import { nextTurn } from '../resources/next-turn.ts'
import { forgetRow } from '../resources/references.ts'
import { portCollection } from './ports/ports-store.ts'
import { releasePort } from './ports/release-port.ts'
import { deleteRanges } from './subnets/free-range-rows.ts'
import { subnetKind } from './subnets/subnet-kind.ts'
import { subnetCollection } from './subnets/subnets-store.ts'

/** The number of ports that a purge releases in one transaction. */
const batchSize = 50

/**
 * Deletes the subnets of a purged workspace with their ports and free ranges: ports in batches, then the subnet. The
 * counts and free ranges of a subnet are correct after each transaction. An interrupted purge may run again: it deletes
 * the remaining rows.
 */
export async function purgeSubnets(store: Store, workspace: string): Promise<void> {
  for await (const { id } of store.each(subnetCollection, { workspace_id: workspace })) {
    while ((await store.tx(tx => releaseSome(tx, id))) === batchSize) await nextTurn()
    await store.tx(tx => deleteSubnet(tx, id))
    await nextTurn()
  }
}

async function releaseSome(tx: Transaction, subnet_id: string): Promise<number> {
  let count = 0
  for await (const { id } of tx.each(portCollection, { subnet_id })) {
    await releasePort(tx, id)
    count += 1
    if (count === batchSize) break
  }
  return count
}

async function deleteSubnet(tx: Transaction, id: string): Promise<void> {
  const subnet = await tx.lock(subnetCollection, id)
  if (!subnet) return
  await deleteRanges(tx, id)
  await forgetRow(tx, { type: subnetKind.type, id })
  await tx.delete(subnetCollection, id, subnet.version)
}
