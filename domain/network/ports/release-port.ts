import { parseAddress } from '../../addresses/ipv4.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { forgetRow } from '../../resources/references.ts'
import { planOf } from '../subnets/address-plan.ts'
import { giveBack } from '../subnets/free-range-rows.ts'
import { subnetCollection, type StoredSubnet } from '../subnets/subnets-store.ts'
import { portKind } from './port-kind.ts'
import { portCollection, type StoredPort } from './ports-store.ts'

/** Deletes a logical port (`Network.releasePort`). */
export async function releasePort(tx: Transaction, portId: string): Promise<void> {
  const seen = await tx.get(portCollection, portId)
  if (!seen) return
  // The subnet of a port never changes. The row of the subnet is locked before the port, as in each allocation.
  const subnet = await tx.lock(subnetCollection, seen.value.subnet_id)
  const port = await tx.lock(portCollection, portId)
  if (port) await deletePort(tx, subnet, port)
}

async function deletePort(
  tx: Transaction,
  subnet: Stored<StoredSubnet> | undefined,
  { id, value, version }: Stored<StoredPort>,
): Promise<void> {
  await forgetRow(tx, { type: portKind.type, id })
  await tx.delete(portCollection, id, version)
  const address = parseAddress(value.ip_address)
  if (!subnet || address === undefined) return
  const { is_reserved } = await giveBack(tx, subnet.id, address, planOf(subnet.value).reserved)
  const { allocated_addresses, available_addresses } = subnet.value
  const counts = {
    allocated_addresses: allocated_addresses - 1,
    available_addresses: available_addresses + (is_reserved ? 0 : 1),
  }
  await tx.update(subnetCollection, subnet.id, { ...subnet.value, ...counts }, subnet.version)
}
