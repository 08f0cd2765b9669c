import { fieldInvalid } from '../../../output/shared/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { requireLayout } from '../sites/numa-layout.ts'
import type { StoredPool } from './pools-store.ts'
import { dimensions, type Capacity } from './capacity.ts'

/** The members of a resource pool that limit each other. An update may leave any of them out. */
interface Form {
  readonly capacity?: Partial<Capacity>
  readonly reserved?: Partial<Capacity>
  readonly numa_nodes?: StoredPool['numa_nodes']
}

/**
 * Throws FIELD_INVALID if more is reserved than the capacity has, and NUMA_LAYOUT_INVALID if the NUMA nodes together
 * have more than the capacity. A dimension that `capacity` or `reserved` leaves out is not compared.
 */
export function requireForm({ capacity = {}, numa_nodes = [], reserved = {} }: Form): void {
  for (const dimension of dimensions) {
    const [kept, most] = [reserved[dimension], capacity[dimension]]
    if (kept === undefined || most === undefined || kept <= most) continue
    const message = `${kept} ${dimension} are reserved, more than the ${most} of the capacity`
    throw faultAt(fieldInvalid, `reserved.${dimension}`, message)
  }
  requireLayout(numa_nodes, capacity)
}
