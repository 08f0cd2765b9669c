import { expect, it } from 'vitest'
import type { Store } from '../../../../domain/ports/store.ts'
import { boxes, storeAt, testPlace } from '../harness.ts'

/** Changes a row on another store, in a transaction that ends before the caller's transaction. */
const changed = (store: Store, id: string, size: number): Promise<unknown> =>
  store.tx(async tx => {
    const row = await tx.lock(boxes, id)
    if (row) await tx.update(boxes, id, { ...row.value, size }, row.version)
  })

it('a transaction reads again the rows that others may have changed', async () => {
  const place = await testPlace()
  const [store, other] = [await storeAt(place, boxes), await storeAt(place, boxes)]
  await store.tx(tx => tx.insert(boxes, { id: 'a', name: 'a', size: 0 }))
  const seen = await store.tx(async tx => {
    const sizes = [(await tx.get(boxes, 'a'))?.value.size]
    await changed(other, 'a', 1)
    sizes.push((await tx.get(boxes, 'a'))?.value.size)
    await changed(other, 'a', 2)
    sizes.push((await tx.share(boxes, 'a'))?.value.size, (await tx.lock(boxes, 'a'))?.value.size)
    return sizes
  })
  expect(seen).toEqual([0, 1, 2, 2])
})
