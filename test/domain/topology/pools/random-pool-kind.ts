import type { Ninefold } from '../../../../output/client.ts'
import type { Random } from '../../../areas/random.ts'
import type { RandomKind } from '../../../areas/random-mutations.ts'

const etagOf = (random: Random): { readonly etag?: string } => (random.percent(10) ? { etag: 'stale' } : {})

const capacityOf = (random: Random) => ({
  vcpus: random.below(24),
  memory_mib: random.below(3000),
  disk_gib: random.below(5),
})

const nodesOf = (random: Random) =>
  Array.from({ length: random.below(3) }, () => ({ vcpus: random.below(6), memory_mib: random.below(2) }))

/** Returns the members of an update; their names are the mask. */
function changeOf(random: Random) {
  const schedulable = random.percent(60)
  const reserved = { vcpus: random.below(8), memory_mib: random.below(500) }
  const overcommit = { vcpus: (100 + random.below(1500)) / 100, memory_mib: (100 + random.below(50)) / 100 }
  return random.oneOf([
    { schedulable },
    { reserved },
    { overcommit },
    { capacity: capacityOf(random) },
    { numa_nodes: nodesOf(random) },
    { capacity: capacityOf(random), reserved, overcommit, numa_nodes: nodesOf(random), schedulable },
  ])
}

/** Returns a random pair of an existing target and an existing zone at the same location; throws if no pair exists. */
async function sitesOf({ topology }: Pick<Ninefold, 'topology'>, random: Random) {
  const { deployment_targets } = await topology.listDeploymentTargets({ page_size: 100 })
  const { zones } = await topology.listZones({ page_size: 100 })
  const pairs = deployment_targets.flatMap(({ location, name }) =>
    zones.filter(zone => zone.location === location).map(zone => ({ deployment_target: name, zone: zone.name })),
  )
  return random.oneOf(pairs)
}

/**
 * Returns the random kind of resource pools on existing targets and in existing zones; a target and a zone at one
 * location must exist. A tenth of the pools is created with names from `hosts` and `zones`, which may not exist.
 */
export const randomPools = (
  { topology }: Pick<Ninefold, 'topology'>,
  hosts: readonly string[],
  zones: readonly string[],
): RandomKind => ({
  name: 'pool',
  weight: 15,
  refusals: [
    'DEPLOYMENT_TARGET_NOT_FOUND',
    'ZONE_NOT_FOUND',
    'RESOURCE_POOL_LOCATION_MISMATCH',
    'NUMA_LAYOUT_INVALID',
    'FIELD_INVALID',
    'RESOURCE_POOL_ALREADY_EXISTS',
    'RESOURCE_POOL_EXCEEDS_TARGET',
    'RESOURCE_POOL_CAPACITY_IN_USE',
    'RESOURCE_POOL_NOT_FOUND',
    'RESOURCE_POOL_IN_USE',
    'ETAG_MISMATCH',
  ],
  async create(random) {
    const sites = random.percent(10)
      ? { zone: random.oneOf(zones), deployment_target: random.oneOf(hosts) }
      : await sitesOf({ topology }, random)
    const body = {
      name: `pool-${random.below(30)}`,
      ...sites,
      capacity: capacityOf(random),
      ...(random.percent(30) && { numa_nodes: nodesOf(random) }),
      ...(random.percent(30) && { reserved: { vcpus: random.below(4) } }),
      ...(random.percent(30) && { overcommit: { vcpus: (100 + random.below(1500)) / 100 } }),
      schedulable: random.percent(80),
    }
    const { resource_id: id } = await topology.createResourcePool({ body })
    return {
      update: random => {
        const change = changeOf(random)
        const update_mask = Object.keys(change).join()
        return topology.updateResourcePool({ id, update_mask, body: { ...change, ...etagOf(random) } })
      },
      delete: random => topology.deleteResourcePool({ id, ...etagOf(random) }),
    }
  },
})
