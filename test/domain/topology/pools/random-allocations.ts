import type { Reader, Transaction } from '../../../../domain/ports/store.ts'
import type { CapacityNeed, Topology } from '../../../../domain/ports/topology.ts'
import { allocations } from '../../../../domain/topology/pools/allocations-store.ts'
import type { PoolRoom } from '../../../../domain/topology/pools/placement.ts'
import { poolCollection } from '../../../../domain/topology/pools/pools-store.ts'
import { locationCollection } from '../../../../domain/topology/sites/locations-store.ts'
import { targetCollection } from '../../../../domain/topology/sites/targets-store.ts'
import { zoneCollection } from '../../../../domain/topology/sites/zones-store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { Random } from '../../../areas/random.ts'
import type { RandomKind } from '../../../areas/random-mutations.ts'
import { consumerOf, type Using } from '../using-area.ts'
import { naivePlacement, type NaiveOutcome } from './naive-placement.ts'

/** The functions of topology for capacity, as a server has them. */
export type CapacityFunctions = Pick<Topology, 'allocate' | 'resize' | 'reallocate' | 'release'>

type Outcome = Awaited<ReturnType<Topology['allocate' | 'resize' | 'reallocate']>>

/** Throws an `ApiError` whose reason is the kind of the outcome, unless the capacity was allocated. */
function requireAllocated({ kind }: Outcome): void {
  if (kind !== 'allocated') throw new ApiError({ reason: kind, rpc: 'FAILED_PRECONDITION' }, kind)
}

function needOf(random: Random): CapacityNeed {
  const [vcpus, memory_mib, disk_gib] = [random.below(6), random.below(400), random.below(3)]
  const numa = Array.from({ length: random.below(3) }, () => ({ vcpus: random.below(4), memory_mib: random.below(2) }))
  return { vcpus, memory_mib, disk_gib, ...(random.percent(30) && { numa }) }
}

/**
 * Returns the outcome of a placement that follows from the rows of the zone's pools and allocations alone, without a
 * cache and without the sums in the rows of pools.
 */
async function naiveOutcome(
  reader: Reader,
  zoneName: string,
  need: CapacityNeed,
): Promise<NaiveOutcome | 'unavailable'> {
  const zone = await reader.find(zoneCollection, { name: zoneName })
  const location = zone && (await reader.find(locationCollection, { name: zone.value.location }))
  const isEnabled = location?.value.state === 'TOPOLOGY_LOCATION_STATE_ENABLED'
  if (!isEnabled || !zone?.value.schedulable) return 'unavailable'
  const rooms: PoolRoom[] = []
  for await (const { id, value } of reader.each(poolCollection, { zone: zoneName })) {
    const target = await reader.find(targetCollection, { name: value.deployment_target })
    const left = { ...value.allocatable }
    const nodes = value.numa_nodes.map(node => ({ ...node }))
    for await (const { value: held } of reader.each(allocations, { pool_id: id })) {
      for (const dimension of ['vcpus', 'memory_mib', 'disk_gib'] as const) left[dimension] -= held[dimension]
      for (const { memory_mib, node, vcpus } of held.nodes) {
        const room = nodes[node]
        if (!room) throw new Error(`the pool ${value.name} has no node ${node}`)
        room.vcpus -= vcpus
        room.memory_mib -= memory_mib
      }
    }
    const isAvailable = value.schedulable && target?.value.probe === 'PASSED'
    rooms.push({ id, name: value.name, isAvailable, allocatable: value.allocatable, available: left, nodes })
  }
  return naivePlacement(rooms, need)
}

/** Allocates capacity and returns the outcome; throws an error if the outcome differs from the naive placement. */
async function allocate(functions: CapacityFunctions, tx: Transaction, zone: string, need: CapacityNeed, id: string) {
  const expected = await naiveOutcome(tx, zone, need)
  const outcome = await functions.allocate(tx, zone, need, consumerOf(id))
  const found =
    outcome.kind === 'allocated'
      ? { name: outcome.resource_pool, nodes: outcome.nodes }
      : outcome.kind === 'unavailable'
        ? outcome.kind
        : outcome
  const [is, must] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== must) throw new Error(`an allocation of ${JSON.stringify(need)} in ${zone} ended as ${is}, not as ${must}`)
  return outcome
}

/**
 * Returns the random kind of allocations of things in any zone. Each call runs with the functions of a server, which is
 * chosen at random from `servers`.
 */
export const randomAllocations = (
  using: Using,
  servers: (topology: Topology) => readonly CapacityFunctions[],
): RandomKind => ({
  name: 'allocation',
  weight: 25,
  refusals: ['capacity', 'combined', 'numa', 'unavailable', 'unallocated'],
  async create(random) {
    const id = `thing-${random.below(1e9)}`
    const need = needOf(random)
    const outcome = await using.within(async (tx, topology) => {
      const zones: string[] = []
      for await (const { value } of tx.each(zoneCollection)) zones.push(value.name)
      return allocate(random.oneOf(servers(topology)), tx, random.oneOf(zones), need, id)
    })
    requireAllocated(outcome)
    return {
      async update(random) {
        const [next, isStart] = [needOf(random), random.percent(40)]
        const outcome = await using.within((tx, topology) => {
          const server = random.oneOf(servers(topology))
          return server[isStart ? 'reallocate' : 'resize'](tx, consumerOf(id), next)
        })
        requireAllocated(outcome)
      },
      delete: random => using.within((tx, topology) => random.oneOf(servers(topology)).release(tx, consumerOf(id))),
    }
  },
})
