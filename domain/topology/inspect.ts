import type { Finding, Inspect } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { references } from '../resources/references.ts'
import { inspectLedger } from './pools/inspect-ledger.ts'
import { inspectPools } from './pools/inspect-pools.ts'
import { locationKind, multiRegionKind, regionKind, zoneKind } from './sites/kinds.ts'
import { locationCollection } from './sites/locations-store.ts'
import { multiRegionCollection, type StoredMultiRegion } from './sites/multi-regions-store.ts'
import { regionCollection } from './sites/regions-store.ts'
import { zoneCollection } from './sites/zones-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Yields the contradictions between rows of the area that `inspectReferences` does not find. */
export const inspectTopology: Inspect = async function* ({ reader }) {
  yield* inspectLocations(reader)
  yield* inspectZones(reader)
  yield* inspectMultiRegions(reader)
  yield* inspectPools(reader)
  yield* inspectLedger(reader)
}

/**
 * Yields locations that do not have a region and an approval time exactly if they are approved, or whose region does
 * not exist.
 */
async function* inspectLocations(reader: Reader): Findings {
  for await (const { id, value } of reader.each(locationCollection)) {
    const { approve_time, region, state } = value
    const isPending = state === 'TOPOLOGY_LOCATION_STATE_PENDING'
    const find = (message: string): Finding => ({ resourceType: locationKind.type, id, message })
    if (isPending !== (region === '') || isPending !== (approve_time === undefined)) {
      yield find(`is ${state} with the region "${region}"; a location has a region if and only if it is approved`)
    }
    if (region !== '' && !(await reader.exists(regionCollection, { name: region }))) {
      yield find(`is approved into the region ${region}, which does not exist`)
    }
  }
}

/** Yields zones that do not lie in the region of their location. */
async function* inspectZones(reader: Reader): Findings {
  for await (const { id, value } of reader.each(zoneCollection)) {
    const location = await reader.find(locationCollection, { name: value.location })
    const region = location?.value.region ?? ''
    if (location === undefined || (region !== '' && region === value.region)) continue
    const message = `has the region "${value.region}", but its location ${value.location} is in "${region}"`
    yield { resourceType: zoneKind.type, id, message }
  }
}

/** Yields multi-regions that have not recorded a reference to each of their regions, and to no other region. */
async function* inspectMultiRegions(reader: Reader): Findings {
  for await (const { id, value } of reader.each(multiRegionCollection)) {
    for (const message of await regionFaults(reader, value)) yield { resourceType: multiRegionKind.type, id, message }
  }
}

async function regionFaults(reader: Reader, { id, regions }: StoredMultiRegion): Promise<readonly string[]> {
  const holder = { target_type: regionKind.type, holder_type: multiRegionKind.type, holder_id: id }
  const faults: string[] = []
  for (const name of regions) {
    const region = await regionKind.idNamed(reader, name)
    if (region === undefined) faults.push(`names the region ${name}, which does not exist`)
    else if (!(await reader.exists(references, { ...holder, target_id: region })))
      faults.push(`names the region ${name} without a recorded reference`)
  }
  const count = await reader.count(references, holder)
  if (count > regions.length) faults.push(`has ${count} references to regions, but names ${regions.length}`)
  return faults
}
