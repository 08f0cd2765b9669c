import type { Collection } from '../../../../domain/ports/store.ts'
import { openPlace } from '../place.ts'

export interface Parcel {
  readonly id: string
  readonly weight: number
}

/** The collection of parcels as an older version of the program declares it. */
export const olderParcels: Collection<Parcel> = { name: 'test_parcels', id: 'id' }

/** The collection of parcels as a newer version declares it, with an index of the weights. */
export const newerParcels: Collection<Parcel> = {
  ...olderParcels,
  columns: { weight: 'INTEGER' },
  indexes: [['weight']],
}

/** This program opens the store of a place as a server of the newer version, which migrates the store. */

const [place] = process.argv.slice(2)
if (place !== undefined && import.meta.main) {
  process.stdout.write('opening\n')
  const store = await openPlace(place, [newerParcels])
  process.stdout.write('open\n')
  await store.close()
}
