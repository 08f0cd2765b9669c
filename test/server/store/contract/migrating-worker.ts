import type { Collection } from '../../../../domain/ports/store.ts'
import { openPlace } from '../place.ts'

export interface Parcel {
  readonly id: string
  readonly weight: number
}

/** As an older version of the program declares parcels. */
export const olderParcels: Collection<Parcel> = { name: 'test_parcels', id: 'id' }

/** As a newer one does, which finds them by their weight. */
export const newerParcels: Collection<Parcel> = {
  ...olderParcels,
  columns: { weight: 'INTEGER' },
  indexes: [['weight']],
}

/** A server of the newer version, which brings the store up to date when it opens it. */
const [place] = process.argv.slice(2)
if (place !== undefined && import.meta.main) {
  process.stdout.write('opening\n')
  const store = await openPlace(place, [newerParcels])
  process.stdout.write('open\n')
  await store.close()
}
