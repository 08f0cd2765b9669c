import { subnetAlreadyExists } from '../../../output/network/errors.ts'
import { subnetsList } from '../../../output/network/filters.ts'
import type { Subnet } from '../../../output/network/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A stored subnet: its gateway is set, and each reserved range has an end. */
export type StoredSubnet = Subnet & { readonly gateway_address: string }

/** The subnets of all workspaces. */
export const subnetCollection: Collection<StoredSubnet> = {
  name: 'network_subnets',
  id: 'id',
  list: subnetsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  uniques: [
    {
      fields: ['vpc_id', 'name'],
      taken: ({ name }) =>
        subnetAlreadyExists(`a subnet named ${name} exists in the VPC; choose another name`, {
          resource: { type: 'network.subnets', name },
        }),
    },
  ],
}
