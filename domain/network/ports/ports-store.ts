import { ipAddressInUse } from '../../../output/network/errors.ts'
import { logicalPortsList } from '../../../output/network/filters.ts'
import type { LogicalPort } from '../../../output/network/types.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { ApiError, commonReasons } from '../../../runtime/errors.ts'
import { parseAddress } from '../../addresses/ipv4.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The stored members of a logical port. The effective rules of a port are computed from the policies of the VPC at each
 * read.
 */
export type StoredPort = Omit<LogicalPort, 'effective_rules'>

/** Returns the error of an address that another port of the subnet has. */
export const addressTaken = (message: string, address: string): ApiError =>
  ipAddressInUse(message, { resource: { type: 'network.logicalPorts', name: address } })

/** The logical ports of all workspaces. */
export const portCollection: Collection<StoredPort> = {
  name: 'network_logical_ports',
  id: 'id',
  list: logicalPortsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', region: 'STRING' },
  computed: { ip_number: { type: 'INTEGER', of: ({ ip_address }) => parseAddress(ip_address) } },
  orderedBy: { ip_address: 'ip_number' },
  uniques: [
    {
      fields: ['subnet_id', 'ip_address'],
      taken: ({ ip_address }) =>
        addressTaken(`another port of the subnet has the address ${ip_address}; choose another`, ip_address),
    },
    {
      fields: ['vpc_id', 'mac_address'],
      // `createPort` has checked the MAC address, so two concurrent transactions in different subnets have chosen it.
      taken: () => engineUnavailable('two ports were given one MAC address; repeat the call', { retryAfterSeconds: 1 }),
    },
    {
      fields: ['vpc_id', 'name'],
      // Machines have unique names, and no machine has two interfaces of one name.
      taken: ({ name }) => new ApiError(commonReasons.INTERNAL, `the VPC has a port named ${name} already`),
    },
  ],
  indexes: [['workspace_id', 'region'], ['attachment.resource_id']],
}
