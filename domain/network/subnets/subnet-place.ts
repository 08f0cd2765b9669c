import { subnetCidrOutsideVpc, subnetCidrOverlap } from '../../../output/network/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { contains, overlaps } from '../../addresses/ipv4.ts'
import type { Reader } from '../../ports/store.ts'
import { vpcCollection } from '../vpcs-store.ts'
import { blockOf } from './address-plan.ts'
import { subnetCollection, type StoredSubnet } from './subnets-store.ts'

/** Returns whether a subnet lies in one of the blocks of a VPC. */
export const liesIn = (blocks: readonly string[], cidr: string): boolean =>
  blocks.some(block => contains(blockOf(block), blockOf(cidr)))

/** Throws SUBNET_CIDR_OUTSIDE_VPC unless the subnet lies in one block of its VPC, which the transaction has locked. */
export async function requireInVpc(reader: Reader, { cidr_block, vpc_id }: StoredSubnet): Promise<void> {
  const blocks = (await reader.get(vpcCollection, vpc_id))?.value.cidr_blocks ?? []
  if (liesIn(blocks, cidr_block)) return
  const message = `${cidr_block} does not lie in one block of the VPC; its blocks are ${blocks.join(', ')}`
  throw faultAt(subnetCidrOutsideVpc, 'cidr_block', message)
}

/**
 * Throws SUBNET_CIDR_OVERLAP if another subnet of the VPC has an address of the subnet. The transaction has locked the
 * VPC, so no other subnet is created concurrently.
 */
export async function requireNoOverlap(reader: Reader, { cidr_block, id, vpc_id }: StoredSubnet): Promise<void> {
  const block = blockOf(cidr_block)
  for await (const other of reader.each(subnetCollection, { vpc_id })) {
    if (other.id === id || !overlaps(blockOf(other.value.cidr_block), block)) continue
    const conflict = { conflicting_subnet_id: other.id, conflicting_cidr_block: other.value.cidr_block }
    const place = `subnet ${other.value.name}, ${other.value.cidr_block}`
    const description = `the block must not overlap ${other.value.cidr_block}`
    throw subnetCidrOverlap(`${cidr_block} overlaps ${place}; choose a block beside the others`, conflict, {
      resource: { type: 'network.subnets', name: other.id },
      precondition: [{ type: 'network.subnets', subject: other.id, description }],
    })
  }
}
