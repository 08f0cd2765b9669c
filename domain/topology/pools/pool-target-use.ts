import { deploymentTargetCapacityInUse } from '../../../output/topology/errors.ts'
import { targetKind, zoneKind } from '../sites/kinds.ts'
import type { TargetUse } from '../sites/target-use.ts'
import type { StoredTarget } from '../sites/targets-store.ts'
import { firstShort } from './capacity.ts'
import { poolCollection } from './pools-store.ts'
import { firstMisfit, sumOfPools } from './target-pools.ts'
import { changeZoneLedger } from './zone-ledger.ts'

/** The functions that connect changes of deployment targets with their resource pools. */
export const poolsOfTarget: TargetUse = {
  async requireRoom(tx, target) {
    const sum = await sumOfPools(tx, target.name)
    const { capacity, numa_nodes } = target
    const dimension = firstShort(sum.capacity, capacity)
    if (dimension) throw inUse(target, `${capacity[dimension]} ${dimension}; its pools have ${sum.capacity[dimension]}`)
    const short = numa_nodes.length === 0 ? undefined : firstMisfit(sum.nodes, numa_nodes)
    if (short === undefined) return
    const { available, dimension: what, node, requested } = short
    throw inUse(target, `${available} ${what} in NUMA node ${node}; its pools have ${requested} there`)
  },
  async probed(tx, name) {
    const zones = await tx.tally(poolCollection, 'zone', { deployment_target: name })
    // A transaction that changes several zones locks their ledger rows in the order of the zone names.
    for (const zone of [...zones.keys()].toSorted()) {
      const id = await zoneKind.idNamed(tx, zone)
      if (id !== undefined) await changeZoneLedger(tx, id)
    }
  },
}

const inUse = ({ id, name }: StoredTarget, what: string) =>
  deploymentTargetCapacityInUse(`deployment target ${name} would have ${what}`, {
    resource: { type: targetKind.type, name: id },
    precondition: [{ type: 'CAPACITY', subject: id, description: `it would have ${what}` }],
  })
