import type { Topology } from '../../ports/topology.ts'
import { allocate } from './allocate.ts'
import { reallocate, release, resize } from './resize.ts'
import type { ZonePools } from './zone-pools.ts'

/** Returns the functions of topology for capacity; `pools` is their common cache. */
export const capacityFunctions = (
  pools: ZonePools,
): Pick<Topology, 'allocate' | 'resize' | 'reallocate' | 'release'> => ({
  allocate: (tx, zone, need, consumer) => allocate(pools, tx, zone, need, consumer),
  resize: (tx, consumer, need) => resize(pools, tx, consumer, need),
  reallocate: (tx, consumer, need) => reallocate(pools, tx, consumer, need),
  release: (tx, consumer) => release(pools, tx, consumer),
})
