import type { Collection } from '../../ports/store.ts'

/**
 * A range of addresses of one subnet that no port has, as unsigned 32-bit integers, both ends included. The ranges of a
 * subnet are disjoint, and cover all its addresses except the addresses of ports and of the platform. A range lies
 * inside or outside of the reserved ranges of the subnet, and two neighbours on the same side are merged. Thus the
 * lowest free address is one indexed read, and neither a requested address nor changed reserved ranges need a search
 * among ports.
 */
export interface FreeRange {
  /**
   * The id that `rangeKey` returns. The id contains `last`, so that an allocation of the lowest address keeps the row.
   */
  readonly id: string
  readonly subnet_id: string
  readonly first: number
  readonly last: number
  /** Whether a port gets an address of the range only if the request names the address. */
  readonly is_reserved: boolean
}

/** The free ranges of all subnets. */
export const freeRanges: Collection<FreeRange> = {
  name: 'network_free_ranges',
  id: 'id',
  columns: { subnet_id: 'STRING', first: 'INTEGER', is_reserved: 'BOOLEAN' },
  indexes: [
    ['subnet_id', 'is_reserved'],
    ['subnet_id', 'first'],
  ],
}

/** Returns the id of the range that ends with an address. The ids of a subnet ascend with the addresses. */
export const rangeKey = (subnet: string, last: number): string => `${subnet}/${last.toString(16).padStart(8, '0')}`
