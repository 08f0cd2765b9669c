import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Conflict, type Collection, type Transaction, type Where } from '../../../../domain/ports/store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { boxes, testStore, type Box } from '../harness.ts'

const box = (id: string, more: Partial<Box> = {}): Box => ({ id, name: id, ...more })

const plain: Collection<Box> = { name: 'test_plain', id: 'id', columns: { parent: 'STRING', size: 'INTEGER' } }

describe('a transaction', () => {
  it('keeps all of its changes', async () => {
    const store = await testStore(boxes)
    await store.tx(async tx => {
      await tx.insert(boxes, box('a'))
      await tx.insert(boxes, box('b'))
    })
    expect(await store.count(boxes)).toBe(2)
    expect((await store.get(boxes, 'a'))?.value).toEqual(box('a'))
  })

  it('inserts many documents at once, all of them or none', async () => {
    const store = await testStore(plain)
    const all = Array.from({ length: 150 }, (_, i) => box(`b${i}`, { name: 'same', size: i }))
    await store.tx(tx => tx.insertAll(plain, all))
    await store.tx(tx => tx.insertAll(plain, []))
    expect(await store.count(plain)).toBe(150)
    expect(await store.get(plain, 'b149')).toMatchObject({ value: all[149], version: 1 })
    const again = store.tx(tx => tx.insertAll(plain, [box('new'), box('b7'), box('newer')]))
    await expect(again).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    const twice = store.tx(tx => tx.insertAll(plain, [box('new'), box('new')]))
    await expect(twice).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    expect(await store.count(plain)).toBe(150)
  })

  it('forgets what it has read of the keys that it inserts at once', async () => {
    const store = await testStore(plain)
    await store.tx(async tx => {
      expect(await tx.lock(plain, 'a')).toBeUndefined()
      await tx.insertAll(plain, [box('a')])
      expect((await tx.lock(plain, 'a'))?.value).toEqual(box('a'))
    })
  })

  it('inserts no documents at once into a collection with unique sets', async () => {
    const store = await testStore(boxes)
    await expect(store.tx(tx => tx.insertAll(boxes, [box('a')]))).rejects.toThrow('"test_boxes" has unique sets')
  })

  it('deletes all documents that match at once, and returns their number', async () => {
    const store = await testStore(plain)
    const all = Array.from({ length: 150 }, (_, i) => box(`b${i}`, { parent: i % 3 === 0 ? 'kept' : 'gone', size: i }))
    await store.tx(tx => tx.insertAll(plain, all))
    const counts = await store.tx(async tx => [
      await tx.deleteAll(plain, { parent: 'gone' }),
      await tx.deleteAll(plain, { parent: 'gone' }),
      await tx.deleteAll(plain, { parent: ['kept', 'other'], size: 3 }),
    ])
    expect(counts).toEqual([100, 0, 1])
    const left = []
    for await (const { value } of store.each(plain)) left.push([value.parent, value.size])
    expect(left).toHaveLength(49)
    expect(left.filter(([parent, size]) => parent !== 'kept' || size === 3)).toEqual([])
  })

  it('forgets what it has read of the documents that it deletes at once', async () => {
    const store = await testStore(boxes)
    await store.tx(async tx => {
      for (const id of ['a', 'b']) await tx.insert(boxes, box(id, { parent: 'top' }))
      const stored = await tx.lock(boxes, 'a')
      expect(await tx.above(boxes, 'parent', ['b'])).toHaveLength(1)
      await tx.deleteAll(boxes, { parent: 'top' })
      expect(await tx.get(boxes, 'a')).toBeUndefined()
      expect(await tx.lock(boxes, 'a')).toBeUndefined()
      expect(await tx.above(boxes, 'parent', ['b'])).toEqual([])
      await expect(tx.delete(boxes, 'a', stored?.version ?? 0)).rejects.toBeInstanceOf(Conflict)
    })
    expect(await store.count(boxes)).toBe(0)
  })

  it('keeps the documents that it has deleted at once when it fails', async () => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, box('a')))
    const failing = store.tx(async tx => {
      expect(await tx.deleteAll(boxes, {})).toBe(1)
      throw new Error('second thoughts')
    })
    await expect(failing).rejects.toThrow('second thoughts')
    expect(await store.count(boxes)).toBe(1)
  })

  it('keeps none of its changes when it fails', async () => {
    const store = await testStore(boxes)
    const failing = store.tx(async tx => {
      await tx.insert(boxes, box('a'))
      throw new Error('second thoughts')
    })
    await expect(failing).rejects.toThrow('second thoughts')
    expect(await store.count(boxes)).toBe(0)
  })

  it('is not rolled back by the failure of a concurrent transaction', async () => {
    const store = await testStore(boxes)
    const outcomes = await Promise.allSettled([
      store.tx(tx => tx.insert(boxes, box('kept'))),
      store.tx(async tx => {
        await tx.insert(boxes, box('lost'))
        throw new Error('no')
      }),
      store.tx(tx => tx.insert(boxes, box('kept too'))),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.get(boxes, 'kept')).toBeDefined()
    expect(await store.get(boxes, 'kept too')).toBeDefined()
    expect(await store.get(boxes, 'lost')).toBeUndefined()
  })

  it('sees its own changes immediately, and readers see them only after its end', async () => {
    const store = await testStore(boxes)
    await store.tx(async tx => {
      await tx.insert(boxes, box('a'))
      expect(await tx.get(boxes, 'a')).toBeDefined()
      expect(await store.get(boxes, 'a')).toBeUndefined()
    })
    expect(await store.get(boxes, 'a')).toBeDefined()
  })

  it('refuses calls after its end', async () => {
    const store = await testStore(boxes)
    const leaked = await store.tx(async (tx): Promise<{ tx: Transaction }> => ({ tx }))
    await expect(leaked.tx.get(boxes, 'a')).rejects.toThrow('has ended')
    await expect(leaked.tx.insert(boxes, box('a'))).rejects.toThrow('has ended')
  })

  it('cannot begin inside another transaction, which would wait for itself', async () => {
    const store = await testStore(boxes)
    const nested = store.tx(() => store.tx(async tx => tx.count(boxes)))
    await expect(nested).rejects.toThrow('would wait for itself')
    await expect(store.tx(() => store.secret('inner'))).rejects.toThrow('would wait for itself')
    expect(await store.tx(tx => tx.count(boxes))).toBe(0)
  })

  it('runs again after a conflict until the conflict is gone', async () => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, box('a')))
    let runs = 0
    await store.tx(async tx => {
      runs += 1
      const found = await tx.lock(boxes, 'a')
      await tx.update(boxes, 'a', box('a', { size: runs }), runs < 3 ? 99 : (found?.version ?? 0))
    })
    expect(runs).toBe(3)
    expect((await store.get(boxes, 'a'))?.value.size).toBe(3)
  })

  it('ends with ENGINE_UNAVAILABLE after ten conflicts', async () => {
    const store = await testStore(boxes)
    let runs = 0
    const failing = store.tx(async () => {
      runs += 1
      throw new Conflict('always')
    })
    const error = await failing.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ reason: 'ENGINE_UNAVAILABLE', details: { retryAfterSeconds: 1 } })
    expect(runs).toBe(10)
  })

  it('lets other transactions run between its attempts', async () => {
    const store = await testStore(boxes)
    const ended: string[] = []
    let runs = 0
    const unlucky = store.tx(async () => {
      runs += 1
      if (runs < 4) throw new Conflict('not yet')
      ended.push('unlucky')
    })
    const other = store.tx(async () => void ended.push('other'))
    await Promise.all([unlucky, other])
    expect(ended).toEqual(['other', 'unlucky'])
  })
})

describe('a callback after the commit', () => {
  it('is called once readers see the changes', async () => {
    const store = await testStore(boxes)
    const seen: Promise<number>[] = []
    await store.tx(async tx => {
      await tx.insert(boxes, box('a'))
      tx.afterCommit(() => seen.push(store.count(boxes)))
      await setImmediate()
      expect(seen).toEqual([])
    })
    expect(await Promise.all(seen)).toEqual([1])
  })

  it('is never called for a transaction that fails', async () => {
    const store = await testStore(boxes)
    const seen: number[] = []
    const failing = store.tx(async tx => {
      tx.afterCommit(() => seen.push(1))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(seen).toEqual([])
  })

  it('is called once for a transaction that runs again', async () => {
    const store = await testStore(boxes)
    const seen: number[] = []
    let attempt = 0
    await store.tx(async tx => {
      attempt += 1
      const current = attempt
      tx.afterCommit(() => seen.push(current))
      if (attempt < 3) throw new Conflict('again')
    })
    expect(seen).toEqual([3])
  })
})

describe('a document', () => {
  it('is not updated in another version than the expected version, which `tryUpdate` reports without an error', async () => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, box('a')))
    const tried = await store.tx(async tx => {
      const first = await tx.tryUpdate(boxes, 'a', box('a', { size: 1 }), 1)
      const second = await tx.tryUpdate(boxes, 'a', box('a', { size: 2 }), 1)
      return [first?.version, second, await tx.tryUpdate(boxes, 'b', box('b'), 1)]
    })
    expect(tried).toEqual([2, undefined, undefined])
    expect((await store.get(boxes, 'a'))?.value).toEqual(box('a', { size: 1 }))
  })

  it('has a version that grows with every update', async () => {
    const store = await testStore(boxes)
    const inserted = await store.tx(tx => tx.insert(boxes, box('a')))
    const updated = await store.tx(tx => tx.update(boxes, 'a', box('a', { size: 2 }), inserted.version))
    expect([inserted.version, updated.version]).toEqual([1, 2])
    expect(await store.get(boxes, 'a')).toMatchObject({ id: 'a', version: 2, value: { size: 2 } })
  })

  it('is returned as the text that was stored', async () => {
    const store = await testStore(boxes)
    const document = box('a', { labels: { ['__proto__']: 'x', b: '"\u0000\ud83d\ude00' } })
    await store.tx(tx => tx.insert(boxes, document))
    const stored = await store.get(boxes, 'a')
    expect(stored?.text.text).toBe(JSON.stringify(document))
  })

  it.each([
    ['update', (tx: Transaction) => tx.update(boxes, 'a', box('a'), 7)],
    ['delete', (tx: Transaction) => tx.delete(boxes, 'a', 7)],
    ['update of an absent one', (tx: Transaction) => tx.update(boxes, 'b', box('b'), 1)],
    ['second insert', (tx: Transaction) => tx.insert(boxes, box('a', { name: 'other' }))],
  ])('leads to a conflict on %s', async (_name, change) => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, box('a')))
    await store.tx(async tx => {
      await expect(change(tx)).rejects.toBeInstanceOf(Conflict)
    })
  })

  it('is refused with the declared error if another document has its unique members', async () => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, box('a', { parent: 'p', name: 'same' })))
    await store.tx(tx => tx.insert(boxes, box('b', { parent: 'q', name: 'same' })))
    const second = store.tx(tx => tx.insert(boxes, box('c', { parent: 'p', name: 'same' })))
    await expect(second).rejects.toMatchObject({ reason: 'BOX_ALREADY_EXISTS', message: 'box "same" exists' })
    const moved = store.tx(tx => tx.update(boxes, 'b', box('b', { parent: 'p', name: 'same' }), 1))
    await expect(moved).rejects.toMatchObject({ reason: 'BOX_ALREADY_EXISTS' })
  })

  it.each([
    ['no id', { name: 'x' }],
    ['an empty id', { id: '', name: 'x' }],
    ['a number where text is declared', { id: 'a', name: 4 }],
    ['a fraction where an integer is declared', { id: 'a', name: 'x', size: 1.5 }],
    ['no time where one is declared', { id: 'a', name: 'x', create_time: 'yesterday' }],
  ])('with %s is refused', async (_name, document) => {
    const store = await testStore(boxes)
    const loose: Collection<object> = { name: boxes.name, id: 'id' }
    await expect(store.tx(tx => tx.insert(loose, document))).rejects.toThrow(TypeError)
  })

  it('is found and counted by columns', async () => {
    const store = await testStore(boxes)
    await store.tx(async tx => {
      await tx.insert(boxes, box('b', { parent: 'p', is_sealed: true }))
      await tx.insert(boxes, box('a', { parent: 'p' }))
      await tx.insert(boxes, box('c', { create_time: '2026-01-01T00:00:00.000Z' }))
    })
    expect((await store.find(boxes, { parent: 'p' }))?.id).toBe('a')
    expect((await store.find(boxes, { parent: 'p', is_sealed: true }))?.id).toBe('b')
    expect((await store.find(boxes, { create_time: '2026-01-01T01:00:00+01:00' }))?.id).toBe('c')
    expect(await store.count(boxes, { create_time: null })).toBe(2)
    const hostile: Where = { 'name" = name --': 'x' }
    await expect(store.find(boxes, hostile)).rejects.toThrow('declares no column')
  })
})

it('a secret is created once and stays', async () => {
  const store = await testStore()
  const [first, second, other] = await Promise.all([store.secret('a'), store.secret('a'), store.secret('b')])
  expect(first).toHaveLength(32)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})

it('a closed store ends the calls in progress and refuses new calls', async () => {
  const store = await testStore(boxes)
  const last = store.tx(tx => tx.insert(boxes, box('a')))
  await store.close()
  expect((await last).id).toBe('a')
  await expect(store.tx(tx => tx.count(boxes))).rejects.toThrow('closed')
})
