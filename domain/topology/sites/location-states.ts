import { locationStateValues, type LocationState } from '../../../output/topology/types.ts'
import type { Reader } from '../../ports/store.ts'
import { locationCollection } from './locations-store.ts'
import { isEnabled } from './states.ts'

/** The states of locations, keyed by the name of the location. */
export type LocationStates = ReadonlyMap<string, LocationState>

/** All states that a location can have. */
export const allLocationStates = locationStateValues.filter(state => state !== 'TOPOLOGY_LOCATION_STATE_UNSPECIFIED')

/** Returns the states of the locations with these names; without `names`, the states of all locations. */
export async function locationStates(reader: Reader, names?: readonly string[]): Promise<LocationStates> {
  const states = new Map<string, LocationState>()
  const where = names === undefined ? {} : { name: [...new Set(names)] }
  for await (const { value } of reader.each(locationCollection, where)) states.set(value.name, value.state)
  return states
}

/** Returns the names of the regions that have an ENABLED location; with `regions`, only names in `regions`. */
export async function availableRegions(reader: Reader, regions?: readonly string[]): Promise<ReadonlySet<string>> {
  const state = allLocationStates.filter(isEnabled)
  const where = regions === undefined ? { state } : { state, region: [...new Set(regions)] }
  return new Set((await reader.tally(locationCollection, 'region', where)).keys())
}
