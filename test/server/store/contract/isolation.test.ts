import { describe, expect, it } from 'vitest'
import type { Store, Transaction } from '../../../../domain/ports/store.ts'
import { boxes, nameTaken, storeAt, testPlace, type Box } from '../harness.ts'

const box = (id: string, more: Partial<Box> = {}): Box => ({ id, name: id, ...more })

/** Opens two stores, as two servers do, on one place with these documents. */
async function twoServers(...documents: readonly Box[]): Promise<readonly [Store, Store]> {
  const place = await testPlace()
  const one = await storeAt(place, boxes)
  await one.tx(async tx => {
    for (const document of documents) await tx.insert(boxes, document)
  })
  return [one, await storeAt(place, boxes)]
}

async function add(tx: Transaction, id: string, more: number): Promise<void> {
  const row = await tx.lock(boxes, id)
  if (row) await tx.update(boxes, id, { ...row.value, size: (row.value.size ?? 0) + more }, row.version)
}

const sizeOf = async (store: Store, id: string): Promise<number | undefined> => (await store.get(boxes, id))?.value.size

describe('concurrent transactions of two servers', () => {
  it('lose no update of a locked row', async () => {
    const [one, two] = await twoServers(box('a', { size: 0 }))
    const adding = [one, two].flatMap(store => Array.from({ length: 10 }, () => store.tx(tx => add(tx, 'a', 1))))
    await Promise.all(adding)
    expect(await sizeOf(one, 'a')).toBe(20)
  })

  it('lose no update of a row that they only read, because its version shows the change', async () => {
    const [one, two] = await twoServers(box('a', { size: 0 }))
    const increase = (store: Store): Promise<unknown> =>
      store.tx(async tx => {
        const row = await tx.get(boxes, 'a')
        if (row) await tx.update(boxes, 'a', { ...row.value, size: (row.value.size ?? 0) + 1 }, row.version)
      })
    await Promise.all([one, two, one, two, one, two].map(increase))
    expect(await sizeOf(two, 'a')).toBe(6)
  })

  it('see only committed changes', async () => {
    const [one, two] = await twoServers(box('a', { size: 0 }))
    const failing = one.tx(async tx => {
      await add(tx, 'a', 5)
      await tx.insert(boxes, box('b'))
      expect(await sizeOf(two, 'a')).toBe(0)
      expect(await two.get(boxes, 'b')).toBeUndefined()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect([await sizeOf(two, 'a'), await two.count(boxes)]).toEqual([0, 1])
  })

  it.each(['lock', 'share'] as const)('keep a rule over two rows when they update one and %s the other', async hold => {
    const [one, two] = await twoServers(box('a', { size: 1 }), box('b', { size: 1 }))
    // At least one of both rows must keep its size of 1; each transaction sets one row to 0 if the other row still has
    // 1.
    const takeAway = (store: Store, id: string, other: string): Promise<void> =>
      store.tx(async tx => {
        if ((await tx[hold](boxes, other))?.value.size === 1) await add(tx, id, -1)
      })
    await Promise.all([takeAway(one, 'a', 'b'), takeAway(two, 'b', 'a')])
    expect(Number(await sizeOf(one, 'a')) + Number(await sizeOf(one, 'b'))).toBeGreaterThanOrEqual(1)
  })

  it('keep a rule over the rows of a parent when they lock the parent first', async () => {
    const [one, two] = await twoServers(box('root'))
    const most = 3
    const create = (store: Store, id: string): Promise<boolean> =>
      store.tx(async tx => {
        await tx.lock(boxes, 'root')
        if ((await tx.count(boxes, { parent: 'root' })) >= most) return false
        await tx.insert(boxes, box(id, { parent: 'root' }))
        return true
      })
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => create(i % 2 ? one : two, `c${i}`)))
    expect(made.filter(Boolean)).toHaveLength(most)
    expect(await one.count(boxes, { parent: 'root' })).toBe(most)
  })

  it('share a row with each other', async () => {
    const [one] = await twoServers(box('a'))
    const shared = await one.tx(async tx => (await tx.share(boxes, 'a'))?.id)
    expect(shared).toBe('a')
  })
})

describe('of many transactions that create the same row concurrently', () => {
  it('one gets the unique name, and all others get the declared error', async () => {
    const [one, two] = await twoServers()
    const create = (store: Store, i: number): Promise<unknown> =>
      store.tx(async tx => {
        expect(await tx.find(boxes, { parent: '', name: 'same', id: 'nobody' })).toBeUndefined()
        await tx.insert(boxes, box(`id-${i}`, { name: 'same' }))
      })
    const ends = await Promise.allSettled(Array.from({ length: 16 }, (_, i) => create(i % 2 ? one : two, i)))
    const refused = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
    expect(refused).toHaveLength(15)
    for (const error of refused) expect(error).toMatchObject({ reason: 'BOX_ALREADY_EXISTS' })
    expect(await one.count(boxes, { name: 'same' })).toBe(1)
  })

  it('one gets the id, and the others run again and find the row', async () => {
    const [one, two] = await twoServers()
    const ensure = (store: Store, id: string): Promise<'made' | 'found'> =>
      store.tx(async tx => {
        if (await tx.get(boxes, id)) return 'found'
        await tx.insert(boxes, box(id))
        return 'made'
      })
    for (let lap = 0; lap < 40; lap += 1) {
      const ends = await Promise.all(Array.from({ length: 16 }, (_, i) => ensure(i % 2 ? one : two, `lap-${lap}`)))
      expect(ends.filter(end => end === 'made')).toHaveLength(1)
    }
  })

  it('one moves to the unique name, and all others get the declared error', async () => {
    const documents = Array.from({ length: 6 }, (_, i) => box(`id-${i}`))
    const [one, two] = await twoServers(...documents)
    const ends = await Promise.allSettled(
      documents.map(({ id }, i) => (i % 2 ? one : two).tx(tx => tx.update(boxes, id, box(id, { name: 'same' }), 1))),
    )
    const refused = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
    expect(refused).toHaveLength(5)
    for (const error of refused) expect(error).toMatchObject({ reason: 'BOX_ALREADY_EXISTS' })
  })
})

it('a transaction whose unique name is taken fails, even if it catches the error', async () => {
  const [store] = await twoServers(box('a', { name: 'same' }))
  const stubborn = store.tx(async tx => {
    await tx.insert(boxes, box('b'))
    await tx.insert(boxes, box('c', { name: 'same' })).catch(() => undefined)
    return 'done'
  })
  await expect(stubborn).rejects.toMatchObject({ message: nameTaken(box('c', { name: 'same' })).message })
  const further = store.tx(async tx => {
    await tx.insert(boxes, box('c', { name: 'same' })).catch(() => undefined)
    await tx.insert(boxes, box('d'))
  })
  await expect(further).rejects.toMatchObject({ reason: 'BOX_ALREADY_EXISTS' })
  expect(await store.count(boxes)).toBe(1)
})
