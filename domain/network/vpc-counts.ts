import type { Vpc } from '../../output/network/types.ts'
import type { Reader } from '../ports/store.ts'
import { portCollection } from './ports/ports-store.ts'
import { subnetCollection } from './subnets/subnets-store.ts'
import type { StoredVpc } from './vpcs-store.ts'

/** Counts the subnets and ports of VPCs, and returns the function that makes the response of each VPC. */
export async function vpcAnswers(reader: Reader, vpcs: readonly string[]): Promise<(row: StoredVpc) => Vpc> {
  const subnets = await reader.tally(subnetCollection, 'vpc_id', { vpc_id: vpcs })
  const ports = await reader.tally(portCollection, 'vpc_id', { vpc_id: vpcs })
  return ({ organisation_id: _hidden, ...row }) => ({
    ...row,
    subnet_count: subnets.get(row.id) ?? 0,
    logical_port_count: ports.get(row.id) ?? 0,
  })
}
