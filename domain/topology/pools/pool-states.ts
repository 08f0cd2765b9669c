import type {
  DeploymentTargetState,
  ResourcePool,
  ResourcePoolState,
  ZoneState,
} from '../../../output/topology/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Derived, Reader, Stored } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { locationStates } from '../sites/location-states.ts'
import { targetState, zoneState } from '../sites/states.ts'
import { targetCollection } from '../sites/targets-store.ts'
import { zoneCollection } from '../sites/zones-store.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'

/** The members of a resource pool from which its state follows. */
export type PoolPlace = Pick<StoredPool, 'deployment_target' | 'schedulable' | 'zone'>

/** The states of the zones and deployment targets of resource pools, both keyed by name. */
export interface PoolSites {
  readonly zones: ReadonlyMap<string, ZoneState>
  readonly targets: ReadonlyMap<string, DeploymentTargetState>
}

/** Returns the state of a resource pool (topology.md 1), from its cordon and the states of its zone and its target. */
export const poolState = (
  schedulable: boolean,
  zone: ZoneState | undefined,
  target: DeploymentTargetState | undefined,
): ResourcePoolState =>
  schedulable && zone === 'TOPOLOGY_ZONE_STATE_AVAILABLE' && target === 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY'
    ? 'TOPOLOGY_RESOURCE_POOL_STATE_AVAILABLE'
    : 'TOPOLOGY_RESOURCE_POOL_STATE_UNAVAILABLE'

/** Returns the states of the zones and deployment targets of resource pools. */
export async function poolSites(reader: Reader, pools: readonly PoolPlace[]): Promise<PoolSites> {
  const zones = new Map<string, ZoneState>()
  const targets = new Map<string, DeploymentTargetState>()
  const locations = await locationStates(reader)
  const zoneNames = [...new Set(pools.map(({ zone }) => zone))]
  for await (const { value } of reader.each(zoneCollection, { name: zoneNames }))
    zones.set(value.name, zoneState(value, locations.get(value.location)))
  const targetNames = [...new Set(pools.map(({ deployment_target }) => deployment_target))]
  for await (const { value } of reader.each(targetCollection, { name: targetNames }))
    targets.set(value.name, targetState(value, locations.get(value.location)))
  return { zones, targets }
}

/** Returns the text of a resource pool with its state appended. */
export const answered = ({ text, value }: Stored<StoredPool>, sites: PoolSites): JsonText<ResourcePool> =>
  withMembers(text, { state: stateAt(sites, value) })

/** Returns the table from which lists derive the states of resource pools, by zone, target and cordon. */
export async function derivedStates(reader: Reader): Promise<Derived> {
  // The table contains only the combinations that pools have: all combinations would be far more.
  const pairs = new Map<string, PoolPlace>()
  for await (const { value } of reader.each(poolCollection)) {
    const { deployment_target, schedulable, zone } = value
    pairs.set(`${zone}/${deployment_target}/${schedulable}`, { zone, deployment_target, schedulable })
  }
  const places = [...pairs.values()]
  const sites = await poolSites(reader, places)
  return {
    from: ['zone', 'deployment_target', 'schedulable_text'],
    fields: [{ name: 'state', type: 'ENUM' }],
    rows: places.map(place => ({
      from: [place.zone, place.deployment_target, String(place.schedulable)],
      values: [stateAt(sites, place)],
    })),
  }
}

const stateAt = ({ targets, zones }: PoolSites, { deployment_target, schedulable, zone }: PoolPlace) =>
  poolState(schedulable, zones.get(zone), targets.get(deployment_target))
