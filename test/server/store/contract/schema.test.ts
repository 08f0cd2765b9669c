import { expect, it } from 'vitest'
import type { Collection, Where } from '../../../../domain/ports/store.ts'
import type { Filter } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import { boxes, boxFields, storeAt, testPlace, testStore, type Box } from '../harness.ts'
import { openPlace } from '../place.ts'

const bare: Collection<Box> = { name: 'test_boxes', id: 'id' }
const document: Box = { id: 'a', name: 'box', parent: 'p', size: 7, create_time: '2026-01-01T01:00:00+01:00' }

it('new columns are filled from the existing documents', async () => {
  const place = await testPlace()
  const before = await openPlace(place, [bare])
  await before.tx(async tx => {
    await tx.insert(bare, { ...document, tags: ['x'], labels: { a: 'b' } })
    for (let i = 0; i < 1200; i += 1) await tx.insert(bare, { id: `b${i}`, name: 'other', parent: `q${i}` })
  })
  await before.close()
  const store = await storeAt(place, boxes)
  const found = await store.find(boxes, { parent: 'p', size: 7, create_time: '2026-01-01T00:00:00Z' })
  expect(found?.id).toBe('a')
  expect(await store.count(boxes, { name: 'other' })).toBe(1200)
  for (const name of ['tags', 'labels']) {
    const field = boxFields.fields.find(one => one.name === name)
    if (field === undefined) throw new Error(`boxes have no ${name}`)
    const filter: Filter = { kind: 'present', field }
    const query = { size: 10, filter, order: checkOrder(undefined, boxFields), after: undefined, now: 0 }
    expect((await store.page(boxes, query)).items.map(({ id }) => id)).toEqual(['a'])
  }
})

it('a column with a new type is filled again', async () => {
  const place = await testPlace()
  const mistaken: Collection<{ id: string; size: string }> = {
    name: 'test_boxes',
    id: 'id',
    columns: { size: 'STRING' },
    indexes: [['size']],
  }
  const before = await openPlace(place, [mistaken])
  await before.tx(tx => tx.insert(mistaken, { id: 'a', size: '12' }))
  await before.close()
  const right: Collection<{ id: string; size: string }> = { ...mistaken, columns: { size: 'INTEGER' } }
  const store = await storeAt(place, right)
  expect((await store.find(right, { size: '12' }))?.id).toBe('a')
  expect(await store.sum(right, 'size')).toBe(12)
})

it('secrets and documents exist after the store is opened again', async () => {
  const place = await testPlace()
  const before = await openPlace(place, [bare])
  await before.tx(tx => tx.insert(bare, document))
  const secret = await before.secret('page_token')
  await before.close()
  const store = await storeAt(place, bare)
  expect(await store.secret('page_token')).toEqual(secret)
  expect((await store.get(bare, 'a'))?.value).toEqual(document)
})

it('servers that start concurrently on an empty store all find it ready', async () => {
  const place = await testPlace()
  const stores = await Promise.all(Array.from({ length: 5 }, () => storeAt(place, boxes)))
  await Promise.all(
    stores.map((store, i) => store.tx(tx => tx.insert(boxes, { ...document, id: `a${i}`, name: `n${i}` }))),
  )
  const secrets = await Promise.all(stores.map(store => store.secret('page_token')))
  expect(new Set(secrets.map(secret => Buffer.from(secret).toString('hex'))).size).toBe(1)
  expect(await Promise.all(stores.map(store => store.count(boxes)))).toEqual([5, 5, 5, 5, 5])
})

it('the name of a member is never SQL, whatever it contains', async () => {
  const odd = `x" INTEGER); DROP TABLE test_boxes; --'?`
  const collection: Collection<{ id: string }> = {
    name: 'test"odd',
    id: 'id',
    list: {
      fields: [{ name: odd, type: 'ENUM', operators: [], sortable: true, enumValues: [`it's?`, 'other'] }],
      defaultOrder: 'id',
      key: 'id',
    },
  }
  const store = await testStore(collection)
  await store.tx(tx => tx.insert<{ id: string }>(collection, { id: 'a' }))
  const where: Where = { [odd]: `it's?` }
  expect(await store.find(collection, where)).toBeUndefined()
  expect(await store.count(collection)).toBe(1)
})

it('a name that one of the stores would truncate is refused by both', async () => {
  const opening = testStore({ name: 'test_long', id: 'id', columns: { ['ü'.repeat(32)]: 'STRING' } })
  await expect(opening).rejects.toThrow('63 bytes')
})
