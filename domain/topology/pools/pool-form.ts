import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
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
 * The rule for the reserved part of a new pool, or of an update that gives both members; an update is judged again with
 * the stored members.
 */
export const poolForm: readonly FormRule[] = [rulesOf<Form>()(['capacity', 'reserved'], reservedFaults)]

function* reservedFaults({ capacity = {}, reserved = {} }: Form): Generator<FieldViolation> {
  for (const dimension of dimensions) {
    const [kept, most] = [reserved[dimension], capacity[dimension]]
    if (kept === undefined || most === undefined || kept <= most) continue
    const description = `must be at most ${most}, the ${dimension} of the capacity, not ${kept}`
    yield { field: `reserved.${dimension}`, description }
  }
}

/**
 * Throws FIELD_INVALID if more is reserved than the capacity has, and NUMA_LAYOUT_INVALID if the NUMA nodes together
 * have more than the capacity. A dimension that `capacity` or `reserved` leaves out is not compared.
 */
export function requireForm({ capacity = {}, numa_nodes = [], reserved = {} }: Form): void {
  const faults = [...reservedFaults({ capacity, reserved })]
  if (faults.length > 0) throw fieldInvalid(faults)
  requireLayout(numa_nodes, capacity)
}
