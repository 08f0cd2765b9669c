import type { Ninefold } from '../../../output/client.ts'

/** The capacity of a pool or a target. */
export interface Capacity {
  readonly vcpus: number
  readonly memory_mib: number
  readonly disk_gib: number
}

/**
 * Creates a target, a location, a region and a zone of the same name, and a pool `<name>-<index>` for each capacity.
 * `capacity` is the capacity of the target.
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

/** Sets whether a zone takes new work. */
export const setSchedulable = ({ topology }: Pick<Ninefold, 'topology'>, id: string, schedulable: boolean) =>
  topology.updateZone({ id, update_mask: 'schedulable', body: { schedulable } })
