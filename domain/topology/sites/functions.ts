import type { KnownZone, Topology } from '../../ports/topology.ts'
import type { Transaction } from '../../ports/store.ts'
import { locationKind, multiRegionKind, regionKind, zoneKind } from './kinds.ts'
import { locationCollection } from './locations-store.ts'
import { multiRegionCollection } from './multi-regions-store.ts'
import { isEnabled } from './states.ts'
import { zoneCollection } from './zones-store.ts'

/**
 * Returns the zone with this name, after its location and then its row are shared; undefined if the zone does not
 * exist.
 */
export async function shareZone(tx: Transaction, name: string): Promise<KnownZone | undefined> {
  const id = await zoneKind.idNamed(tx, name)
  // The location of a zone never changes, so it is read before the lock.
  const seen = id === undefined ? undefined : (await tx.get(zoneCollection, id))?.value
  const locationId = seen && (await locationKind.idNamed(tx, seen.location))
  if (id === undefined || locationId === undefined) return undefined
  const location = await tx.share(locationCollection, locationId)
  const zone = (await tx.share(zoneCollection, id))?.value
  if (zone === undefined) return undefined
  const isAvailable = zone.schedulable && isEnabled(location?.value.state)
  return { id, name, region: zone.region, isAvailable }
}

/** The functions of topology for regions, multi-regions and zones. */
export const siteFunctions: Topology = {
  async requireRegion(tx, name) {
    const id = await regionKind.idNamed(tx, name)
    return id === undefined ? undefined : { id, name }
  },
  async requireMultiRegion(tx, name) {
    const id = await multiRegionKind.idNamed(tx, name)
    const found = id === undefined ? undefined : (await tx.share(multiRegionCollection, id))?.value
    return found && { id: found.id, regions: found.regions }
  },
  requireZone: shareZone,
}
