import type {
  DeploymentTargetState,
  LocationState,
  MultiRegionState,
  RegionState,
  ZoneState,
} from '../../../output/topology/types.ts'
import type { StoredTarget } from './targets-store.ts'
import type { StoredZone } from './zones-store.ts'

/** Returns whether a location accepts new work. */
export const isEnabled = (state: LocationState | undefined): boolean => state === 'TOPOLOGY_LOCATION_STATE_ENABLED'

/** Returns the state of a target, from the state of its location and the result of the last probe (topology.md 1). */
export function targetState(
  { probe }: Pick<StoredTarget, 'probe'>,
  location: LocationState | undefined,
): DeploymentTargetState {
  if (location === 'TOPOLOGY_LOCATION_STATE_DISABLED') return 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_DISABLED'
  if (!isEnabled(location)) return 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_PENDING'
  return probe === 'PASSED' ? 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY' : 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_ERROR'
}

/** Returns the state of a zone, from its cordon and the state of its location. */
export const zoneState = (
  { schedulable }: Pick<StoredZone, 'schedulable'>,
  location: LocationState | undefined,
): ZoneState =>
  schedulable && isEnabled(location) ? 'TOPOLOGY_ZONE_STATE_AVAILABLE' : 'TOPOLOGY_ZONE_STATE_UNAVAILABLE'

/** Returns the state of a region; `isAvailable` is true if one of its locations is ENABLED. */
export const regionState = (isAvailable: boolean): RegionState =>
  isAvailable ? 'TOPOLOGY_REGION_STATE_AVAILABLE' : 'TOPOLOGY_REGION_STATE_UNAVAILABLE'

/** Returns the state of a multi-region; `available` are the names of all available regions. */
export function multiRegionState(regions: readonly string[], available: ReadonlySet<string>): MultiRegionState {
  const count = regions.filter(region => available.has(region)).length
  if (count === regions.length) return 'TOPOLOGY_MULTI_REGION_STATE_AVAILABLE'
  return count > 0 ? 'TOPOLOGY_MULTI_REGION_STATE_DEGRADED' : 'TOPOLOGY_MULTI_REGION_STATE_UNAVAILABLE'
}
