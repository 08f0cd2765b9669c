import type { DriverName, Topology } from '../../ports/topology.ts'
import type { Reader } from '../../ports/store.ts'
import { targetCollection, type StoredTarget } from '../sites/targets-store.ts'
import { allocate } from './allocate.ts'
import { reallocate, release, resize } from './resize.ts'
import { poolCollection } from './pools-store.ts'
import type { ZonePools } from './zone-pools.ts'

/** Returns the functions of topology for capacity; `pools` is their common cache. */
export const capacityFunctions = (
  pools: ZonePools,
): Pick<Topology, 'allocate' | 'driverOf' | 'resize' | 'reallocate' | 'release'> => ({
  allocate: (tx, zone, need, consumer) => allocate(pools, tx, zone, need, consumer),
  resize: (tx, consumer, need) => resize(pools, tx, consumer, need),
  reallocate: (tx, consumer, need) => reallocate(pools, tx, consumer, need),
  release: (tx, consumer) => release(pools, tx, consumer),
  driverOf,
})

/** Returns the driver of a pool (`Topology.driverOf`). */
async function driverOf(reader: Reader, name: string): Promise<DriverName | undefined> {
  const pool = await reader.find(poolCollection, { name })
  const target = pool && (await reader.find(targetCollection, { name: pool.value.deployment_target }))
  return target && drivers[target.value.driver]
}

const drivers: Readonly<Record<StoredTarget['driver'], DriverName | undefined>> = {
  TOPOLOGY_DRIVER_SIMULATED: 'SIMULATED',
  TOPOLOGY_DRIVER_QEMU: 'QEMU',
  TOPOLOGY_DRIVER_UNSPECIFIED: undefined,
}
