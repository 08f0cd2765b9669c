import { resourcePoolAlreadyExists } from '../../../output/topology/errors.ts'
import { resourcePoolsList } from '../../../output/topology/filters.ts'
import type { ResourcePool } from '../../../output/topology/types.ts'
import type { Collection } from '../../ports/store.ts'
import { storedFields } from '../sites/stored-fields.ts'

/**
 * A resource pool as it is stored. `allocated`, `available`, `allocation_count` and `pinned` follow from the ledger of
 * allocations: each transaction that changes the ledger writes them too, and leaves `etag` and `update_time` as they are.
 */
export type StoredPool = Omit<ResourcePool, 'state'> & {
  /** The use that is pinned to each of `numa_nodes`, as `pinnedText` writes it. */
  readonly pinned: string
}

/** The resource pools of the platform. */
export const poolCollection: Collection<StoredPool> = {
  name: 'topology_resource_pools',
  id: 'id',
  list: storedFields(resourcePoolsList, ['state']),
  hidden: ['pinned'],
  // Derived states follow from columns of texts.
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
