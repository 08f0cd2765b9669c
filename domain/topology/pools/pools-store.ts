import { resourcePoolAlreadyExists } from '../../../output/topology/errors.ts'
import { resourcePoolsList } from '../../../output/topology/filters.ts'
import type { ResourcePool } from '../../../output/topology/types.ts'
import type { Collection } from '../../ports/store.ts'
import { storedFields } from '../sites/stored-fields.ts'

/**
 * A stored resource pool, without its state. `allocated`, `available`, `allocation_count` and `pinned` follow from the
 * ledger of allocations: each transaction that changes the ledger writes these members too, and keeps `etag` and
 * `update_time`.
 */
export type StoredPool = Omit<ResourcePool, 'state'> & {
  /** The use that is pinned to each node of `numa_nodes`, as the text that `pinnedText` returns. */
  readonly pinned: string
}

/** The resource pools of the platform. */
export const poolCollection: Collection<StoredPool> = {
  name: 'topology_resource_pools',
  id: 'id',
  list: storedFields(resourcePoolsList, ['state']),
  hidden: ['pinned'],
  // Derived states can follow from STRING and ENUM columns only.
  computed: { schedulable_text: { type: 'STRING', of: ({ schedulable }) => String(schedulable) } },
  uniques: [
    {
      fields: ['name'],
      taken: ({ name }) =>
        resourcePoolAlreadyExists(`a resource pool named ${name} exists`, {
          resource: { type: 'topology.resourcePools', name },
        }),
    },
  ],
  indexes: [['zone'], ['deployment_target']],
}
