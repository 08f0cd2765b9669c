import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { targetKind, zoneKind } from '../sites/kinds.ts'
import { targetCollection } from '../sites/targets-store.ts'
import { zoneCollection } from '../sites/zones-store.ts'
import { allocatableOf, dimensions, firstShort, minus, type Capacity } from './capacity.ts'
import { pinnedOf, pinnedText } from './pinned.ts'
import { poolKind } from './pool-kind.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'
import { firstMisfit, firstShortNode, sumOfPools } from './target-pools.ts'
import { zoneLedgers } from './zone-ledger.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Yields the faults of resource pools: in their amounts and NUMA nodes, in their zones and targets, and in the sums of
 * all pools of a deployment target. Also yields the ledger rows of absent zones. `inspectLedger` compares the allocated
 * sums with the allocations.
 */
export async function* inspectPools(reader: Reader): Findings {
  for await (const { id, value } of reader.each(poolCollection)) {
    const faults = [...amountFaults(value), ...nodeFaults(value), ...(await placeFaults(reader, value))]
    for (const message of faults) yield { resourceType: poolKind.type, id, message }
  }
  yield* inspectTargets(reader)
  yield* inspectZoneLedgers(reader)
}

function amountFaults(pool: StoredPool): readonly string[] {
  const { allocatable, allocated, available, capacity, reserved } = pool
  const expected = allocatableOf(pool)
  const left = minus(allocatable, allocated)
  const [kept, over] = [firstShort(reserved, capacity), firstShort(allocated, allocatable)]
  return [
    ...(kept ? [`reserves ${reserved[kept]} ${kept}, more than its capacity of ${capacity[kept]}`] : []),
    ...differences('allocatable', allocatable, expected),
    ...differences('available', available, left),
    ...(over ? [`has ${allocated[over]} ${over} allocated, more than the ${allocatable[over]} that can be`] : []),
  ]
}

const differences = (member: string, found: Capacity, expected: Capacity): readonly string[] =>
  dimensions
    .filter(dimension => found[dimension] !== expected[dimension])
    .map(dimension => `has ${found[dimension]} ${dimension} ${member}; it must be ${expected[dimension]}`)

function nodeFaults(pool: StoredPool): readonly string[] {
  const { capacity, numa_nodes, pinned } = pool
  const used = pinnedOf(pool)
  const short = firstShortNode(used, numa_nodes)
  const sum = (dimension: 'vcpus' | 'memory_mib') => numa_nodes.reduce((total, node) => total + node[dimension], 0)
  const nodes = { vcpus: sum('vcpus'), memory_mib: sum('memory_mib'), disk_gib: 0 }
  const over = firstShort(nodes, capacity)
  return [
    ...(over ? [`has NUMA nodes of ${nodes[over]} ${over}, more than its capacity of ${capacity[over]}`] : []),
    ...(pinned === pinnedText(used) ? [] : [`has the pinned use "${pinned}", which does not fit its NUMA nodes`]),
    ...(short
      ? [`has ${short.requested} ${short.dimension} pinned to NUMA node ${short.node}; it has ${short.available}`]
      : []),
  ]
}

async function placeFaults(reader: Reader, { deployment_target, zone }: StoredPool): Promise<readonly string[]> {
  const target = await reader.find(targetCollection, { name: deployment_target })
  const found = await reader.find(zoneCollection, { name: zone })
  // `inspectReferences` reports an absent zone or target.
  if (!target || !found || target.value.location === found.value.location) return []
  return [`is of zone ${zone} in ${found.value.location}, but on a target in ${target.value.location}`]
}

/** Yields the targets whose pools together have more than the capacity or the NUMA nodes of the target. */
async function* inspectTargets(reader: Reader): Findings {
  for await (const { id, value } of reader.each(targetCollection)) {
    const { capacity, name, numa_nodes } = value
    const sum = await sumOfPools(reader, name)
    const find = (message: string): Finding => ({ resourceType: targetKind.type, id, message })
    const over = firstShort(sum.capacity, capacity)
    if (over) yield find(`has ${capacity[over]} ${over}; its pools have ${sum.capacity[over]}`)
    const short = numa_nodes.length === 0 ? undefined : firstMisfit(sum.nodes, numa_nodes)
    if (short)
      yield find(
        `has ${short.available} ${short.dimension} in NUMA node ${short.node}; its pools have ${short.requested} there`,
      )
  }
}

/** Yields the ledger rows of absent zones: the deletion of a zone deletes its ledger row. */
async function* inspectZoneLedgers(reader: Reader): Findings {
  for await (const { id } of reader.each(zoneLedgers)) {
    if (await reader.get(zoneCollection, id)) continue
    yield { resourceType: zoneKind.type, id, message: 'has a row for the changes of its pools, but does not exist' }
  }
}
