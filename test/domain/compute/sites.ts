import type { Ninefold } from '../../../output/client.ts'

/** The capacity of a pool or a target. */
export interface Capacity {
  readonly vcpus: number
  readonly memory_mib: number
  readonly disk_gib: number
}

/**
 * Creates a zone with a pool for each capacity, at a location and in a region of their own; all have the name, and the
 * pools a number behind it. `capacity` is that of the target below the pools.
 */
export async function addZone(
  { topology }: Pick<Ninefold, 'topology'>,
  name: string,
  pools: readonly Capacity[],
  capacity: Capacity = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 },
): Promise<void> {
  const target = { name, location: name, driver: 'TOPOLOGY_DRIVER_SIMULATED', capacity: { ...capacity } } as const
  await topology.registerDeploymentTarget({ body: target })
  await topology.approveLocation({ id: name, body: { region: name } })
  await topology.createZone({ body: { name, location: name } })
  for (const [i, each] of pools.entries())
    await topology.createResourcePool({
      body: { name: `${name}-${i}`, zone: name, deployment_target: name, capacity: { ...each } },
    })
}

/** Lets a zone take no new work, or take work again. */
export const setSchedulable = ({ topology }: Pick<Ninefold, 'topology'>, id: string, schedulable: boolean) =>
  topology.updateZone({ id, update_mask: 'schedulable', body: { schedulable } })
