import type { KnownZone, Topology } from '../../ports/topology.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { locationKind, multiRegionKind, regionKind } from './kinds.ts'
import { locationCollection } from './locations-store.ts'
import { multiRegionCollection } from './multi-regions-store.ts'
import { regionCollection } from './regions-store.ts'
import { isEnabled } from './states.ts'
import { zoneCollection, type StoredZone } from './zones-store.ts'

/**
 * Returns the zone with this name, after shared locks on its location and then its row (`Transaction.share`); undefined
 * if the zone does not exist.
 */
export const shareZone = async (tx: Transaction, name: string): Promise<KnownZone | undefined> =>
  shareSeen(tx, await tx.find(zoneCollection, { name }))

/** Returns the zone with this id as `shareZone` does. */
export const shareZoneById = async (tx: Transaction, id: string): Promise<KnownZone | undefined> =>
  shareSeen(tx, await tx.get(zoneCollection, id))

/**
 * Shares the location and then the row of a zone that was read before, and returns the zone; undefined if the zone does
 * not exist. The location of a zone never changes.
 */
async function shareSeen(tx: Transaction, seen: Stored<StoredZone> | undefined): Promise<KnownZone | undefined> {
  const locationId = seen && (await locationKind.idNamed(tx, seen.value.location))
  if (seen === undefined || locationId === undefined) return undefined
  const location = await tx.share(locationCollection, locationId)
  const zone = (await tx.share(zoneCollection, seen.id))?.value
  if (zone === undefined) return undefined
  const { id, name, region, schedulable } = zone
  return { id, name, region, isAvailable: schedulable && isEnabled(location?.value.state) }
}

/** The functions of topology for regions, multi-regions and zones. */
export const siteFunctions: Pick<Topology, 'requireRegion' | 'onlyRegion' | 'requireMultiRegion' | 'requireZone'> = {
  async requireRegion(tx, name) {
    const id = await regionKind.idNamed(tx, name)
    return id === undefined ? undefined : { id, name }
  },
  async onlyRegion(reader) {
    const names: string[] = []
    for await (const { value } of reader.each(regionCollection)) {
      names.push(value.name)
      if (names.length > 1) return undefined
    }
    return names[0]
  },
  async requireMultiRegion(tx, name) {
    const id = await multiRegionKind.idNamed(tx, name)
    const found = id === undefined ? undefined : (await tx.share(multiRegionCollection, id))?.value
    return found && { id: found.id, regions: found.regions }
  },
  requireZone: shareZone,
}
