import { vpcCidrInUse } from '../../output/network/errors.ts'
import type { Reader } from '../ports/store.ts'
import { liesIn } from './subnets/subnet-place.ts'
import { subnetCollection } from './subnets/subnets-store.ts'
import type { StoredVpc } from './vpcs-store.ts'

/** The maximal number of subnets that an error names. */
const mostNamed = 20

/**
 * Throws VPC_CIDR_IN_USE, which names subnets, unless each subnet of a VPC lies in one of its new blocks. The
 * transaction has locked the VPC, so no subnet is created concurrently.
 */
export async function requireSubnetsIn(reader: Reader, { cidr_blocks, id, name }: StoredVpc): Promise<void> {
  const precondition: { type: string; subject: string; description: string }[] = []
  for await (const { value } of reader.each(subnetCollection, { vpc_id: id })) {
    if (liesIn(cidr_blocks, value.cidr_block)) continue
    const description = `subnet ${value.name}, ${value.cidr_block}, would lie in no block`
    precondition.push({ type: 'network.subnets', subject: value.id, description })
    if (precondition.length === mostNamed) break
  }
  const [first] = precondition
  if (!first) return
  throw vpcCidrInUse(`${first.description} of VPC ${name}; keep a block around each subnet`, {
    resource: { type: 'network.vpcs', name: id },
    precondition,
  })
}
