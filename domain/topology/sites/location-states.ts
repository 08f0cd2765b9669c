import { locationStateValues, type LocationState } from '../../../output/topology/types.ts'
import type { Reader } from '../../ports/store.ts'
import { locationCollection } from './locations-store.ts'
import { isEnabled } from './states.ts'

/** The states of locations by their names. */
export type LocationStates = ReadonlyMap<string, LocationState>

/** All states of a location. */
export const allLocationStates = locationStateValues.filter(state => state !== 'TOPOLOGY_LOCATION_STATE_UNSPECIFIED')

/** Reads the states of locations, of all without `names`. */
export async function locationStates(reader: Reader, names?: readonly string[]): Promise<LocationStates> {
  const states = new Map<string, LocationState>()
  const where = names === undefined ? {} : { name: [...new Set(names)] }
  for await (const { value } of reader.each(locationCollection, where)) states.set(value.name, value.state)
  return states
}

/** Reads the names of the regions that have an ENABLED location; of these regions alone if `regions` is given. */
export async function availableRegions(reader: Reader, regions?: readonly string[]): Promise<ReadonlySet<string>> {
  const state = allLocationStates.filter(isEnabled)
  const where = regions === undefined ? { state } : { state, region: [...new Set(regions)] }
  return new Set((await reader.tally(locationCollection, 'region', where)).keys())
}
