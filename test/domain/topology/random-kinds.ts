import type { Ninefold } from '../../../output/client.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind } from '../../areas/random-mutations.ts'
import { randomPools } from './pools/random-pool-kind.ts'

const locations = ['local', 'ash', 'birch', 'cedar', 'dogwood', 'elm']
const regions = ['local1', 'wood', 'grove', 'heath', 'moor']
const drivers = ['TOPOLOGY_DRIVER_SIMULATED', 'TOPOLOGY_DRIVER_QEMU'] as const

/** Returns the names that things of a kind may have. */
const names = (prefix: string): readonly string[] => Array.from({ length: 12 }, (_, i) => `${prefix}-${i}`)

const etagOf = (random: Random): { readonly etag?: string } => (random.percent(10) ? { etag: 'stale' } : {})

const capacityOf = (random: Random) => ({ vcpus: random.below(64), memory_mib: random.below(9999), disk_gib: 10 })

function targets({ topology }: Ninefold): RandomKind {
  return {
    name: 'target',
    refusals: [
      'DEPLOYMENT_TARGET_ALREADY_EXISTS',
      'DEPLOYMENT_TARGET_NOT_FOUND',
      'NUMA_LAYOUT_INVALID',
      'DEPLOYMENT_TARGET_IN_USE',
      'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      'ETAG_MISMATCH',
    ],
    async create(random) {
      const body = {
        name: `host-${random.below(12)}`,
        location: random.oneOf(locations),
        driver: drivers[random.percent(90) ? 0 : 1],
        capacity: capacityOf(random),
        ...(random.percent(30) && { numa_nodes: [{ vcpus: random.below(64), memory_mib: 1 }] }),
        ...(random.percent(20) && { location_hints: { proposed_region: random.oneOf(regions) } }),
        ...etagOf(random),
      }
      const { resource_id: id } = await topology.registerDeploymentTarget({ body })
      return {
        update: random => {
          const endpoint = random.percent(20) ? 'https://agent.example' : ''
          const change = random.percent(50)
            ? { update_mask: 'capacity', body: { capacity: capacityOf(random), ...etagOf(random) } }
            : { update_mask: 'endpoint', body: { endpoint, ...etagOf(random) } }
          return topology.updateDeploymentTarget({ id, ...change })
        },
        delete: random => topology.deleteDeploymentTarget({ id, ...etagOf(random) }),
      }
    },
  }
}

/** Returns the random kind of locations. Targets create the locations, so that each random call is a verb. */
function verbs({ topology }: Ninefold): RandomKind {
  const verb = (random: Random): Promise<unknown> => {
    const id = random.percent(5) ? 'nowhere' : random.oneOf(locations)
    if (random.percent(40)) {
      const region = random.percent(20) ? '' : random.oneOf(regions)
      return topology.approveLocation({ id, body: { region, enable: random.percent(70), ...etagOf(random) } })
    }
    const body = { reason: 'at random', ...etagOf(random) }
    return random.percent(50) ? topology.enableLocation({ id, body }) : topology.disableLocation({ id, body })
  }
  return {
    name: 'location',
    weight: 15,
    refusals: [
      'LOCATION_NOT_FOUND',
      'LOCATION_NOT_APPROVED',
      'LOCATION_ALREADY_APPROVED',
      'LOCATION_STATE_INVALID',
      'FIELD_INVALID',
      'ETAG_MISMATCH',
    ],
    async create(random) {
      await verb(random)
      return { update: verb, delete: verb }
    },
  }
}

function zones({ topology }: Ninefold): RandomKind {
  return {
    name: 'zone',
    refusals: [
      'LOCATION_NOT_FOUND',
      'LOCATION_NOT_APPROVED',
      'ZONE_ALREADY_EXISTS',
      'ZONE_NOT_FOUND',
      'ZONE_IN_USE',
      'ETAG_MISMATCH',
    ],
    async create(random) {
      const location = random.percent(5) ? 'nowhere' : random.oneOf(locations)
      const body = { name: `zone-${random.below(12)}`, location, schedulable: random.percent(70) }
      const { resource_id: id } = await topology.createZone({ body })
      return {
        update: random => {
          const body = { schedulable: random.percent(50), ...etagOf(random) }
          return topology.updateZone({ id, update_mask: 'schedulable', body })
        },
        delete: random => topology.deleteZone({ id, ...etagOf(random) }),
      }
    },
  }
}

function multiRegions({ topology }: Ninefold): RandomKind {
  const some = (random: Random): string[] => {
    const first = random.below(regions.length)
    return Array.from({ length: 2 + random.below(2) }, (_, i) => regions[(first + i) % regions.length] ?? '')
  }
  return {
    name: 'multi-region',
    refusals: ['REGION_NOT_FOUND', 'MULTI_REGION_ALREADY_EXISTS', 'MULTI_REGION_NOT_FOUND', 'ETAG_MISMATCH'],
    async create(random) {
      const body = { name: `set-${random.below(12)}`, regions: some(random) }
      const { resource_id: id } = await topology.createMultiRegion({ body })
      return {
        update: random => {
          const body = { regions: some(random), ...etagOf(random) }
          return topology.updateMultiRegion({ id, update_mask: 'regions', body })
        },
        delete: random => topology.deleteMultiRegion({ id, ...etagOf(random) }),
      }
    },
  }
}

/** Returns the random kinds of targets, locations, zones, multi-regions and resource pools. */
export const siteKinds = (api: Ninefold): readonly RandomKind[] => [
  targets(api),
  verbs(api),
  zones(api),
  multiRegions(api),
  randomPools(api, names('host'), [...names('zone'), 'local1-a']),
]
