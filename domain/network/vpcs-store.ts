import { vpcAlreadyExists } from '../../output/network/errors.ts'
import { vpcsList } from '../../output/network/filters.ts'
import type { Vpc } from '../../output/network/types.ts'
import type { Collection } from '../ports/store.ts'

/**
 * The stored members of a VPC: with its organisation, for counting the VPCs of an organisation, and without the numbers
 * of its subnets and ports, which are counted at each read.
 */
export type StoredVpc = Omit<Vpc, 'subnet_count' | 'logical_port_count'> & { readonly organisation_id: string }

/** The VPCs of all workspaces. */
export const vpcCollection: Collection<StoredVpc> = {
  name: 'network_vpcs',
  id: 'id',
  list: vpcsList,
  listedBelow: 'workspace_id',
  hidden: ['organisation_id'],
  columns: { workspace_id: 'STRING', engine: 'STRING', organisation_id: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) =>
        vpcAlreadyExists(`a VPC named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'network.vpcs', name },
        }),
    },
  ],
  indexes: [['organisation_id'], ['workspace_id', 'region']],
}
