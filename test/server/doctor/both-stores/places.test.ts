import { expect, it } from 'vitest'
import { trees } from '../../../../domain/taxonomy/tree/nodes.ts'
import { areas } from '../../../../server/areas.ts'
import { doctor } from '../../../../server/doctor/doctor.ts'
import { placeName } from '../../../../server/platform-store.ts'
import { leftStore, patch } from '../../../domain/taxonomy/broken-store.ts'
import { testStorePlace } from '../../store/left-place.ts'

const left = await leftStore()

it('the doctor reports a fault with its place, but never the credentials of the connection', async () => {
  const { change, place } = await left.copy()
  const told: string[] = []
  const consult = (isJson: boolean): Promise<number> =>
    doctor({ place, areas, isJson, print: line => void told.push(line) })
  expect(await consult(false)).toBe(0)
  expect(told.splice(0)).toEqual([`${placeName(place)}: nothing is wrong`])
  await change(tx => patch(tx, trees, left.names.acme, { group_count: 5 }))
  expect(await consult(true)).toBe(1)
  const kind = place.storeUrl === undefined ? 'file' : 'database'
  expect(told.map(line => JSON.parse(line))).toEqual([
    expect.objectContaining({ resource_type: 'taxonomy.trees', id: left.names.acme }),
    { [kind]: placeName(place), findings: 1 },
  ])
})

it('the doctor of an older version names the place of a newer store, and the remedy', async () => {
  const { place, sql } = await left.copy()
  await sql('INSERT INTO ninefold_formats (number) VALUES (99)')
  const consulted = doctor({ place, areas, isJson: false, print: () => undefined })
  await expect(consulted).rejects.toThrow(
    `${placeName(place)} cannot be used: a newer version of the server has changed the store: it has format 99, and this version knows format`,
  )
  await expect(consulted).rejects.toThrow('start that version or a newer one, or restore a backup from before it')
})

it('the doctor refuses a place without a store', async () => {
  const place = await testStorePlace()
  const consulted = doctor({ place, areas, isJson: false, print: () => undefined })
  await expect(consulted).rejects.toThrow(/there is no store|cannot be checked: relation "ninefold_\w+" does not exist/)
})

it('the name of a database contains neither user nor password nor settings', () => {
  const storeUrl = 'postgres://ann:secret@db.test:5433/ninefold?options=-c%20search_path%3Dx'
  expect(placeName({ dataDir: 'data', storeUrl })).toBe('postgres://db.test:5433/ninefold')
})
