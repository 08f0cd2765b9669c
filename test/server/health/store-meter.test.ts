import { describe, expect, it } from 'vitest'
import { Conflict, type Collection } from '../../../domain/ports/store.ts'
import { ApiError, commonReasons } from '../../../runtime/errors.ts'
import { MeteredStore, StoreMeter } from '../../../server/meters/store-meter.ts'
import { testStore } from '../store/harness.ts'

interface Thing {
  readonly id: string
}

const things: Collection<Thing> = { name: 'sample_things', id: 'id' }

async function metered() {
  const meter = new StoreMeter()
  const store = new MeteredStore(await testStore(things), meter)
  return { meter, store }
}

const endsOf = ({ ends }: StoreMeter): object => Object.fromEntries(ends)

describe('a metered store', () => {
  it('reads and writes as the store does', async () => {
    const { store } = await metered()
    for (const id of ['a', 'b']) await store.tx(tx => tx.insert(things, { id }))
    expect((await store.get(things, 'a'))?.value).toEqual({ id: 'a' })
    expect(await store.count(things)).toBe(2)
    const ids: string[] = []
    for await (const { id } of store.each(things, {}, 'a')) ids.push(id)
    expect(ids).toEqual(['b'])
  })

  it.each<[string, () => unknown, string]>([
    ['a rule of the domain', () => new ApiError(commonReasons.ETAG_MISMATCH, 'no'), 'refused'],
    ['the store itself', () => new ApiError(commonReasons.ENGINE_UNAVAILABLE, 'busy'), 'unavailable'],
    ['a defect', () => new TypeError('oh'), 'failed'],
  ])('reports a rollback by %s', async (_name, make, outcome) => {
    const { meter, store } = await metered()
    const thrown = make()
    await expect(store.tx(() => Promise.reject(thrown))).rejects.toBe(thrown)
    const none = { committed: 0, refused: 0, unavailable: 0, failed: 0 }
    expect(endsOf(meter)).toEqual({ ...none, [outcome]: 1 })
    expect([meter.waiting, meter.durations.counts.reduce((a, b) => a + b)]).toEqual([0, 1])
  })

  it('counts the runs after conflicts, and only the wait before the first run', async () => {
    const { meter, store } = await metered()
    let runs = 0
    await store.tx(async () => {
      runs += 1
      if (runs < 3) throw new Conflict('again')
    })
    expect(meter.retries).toBe(2)
    expect(endsOf(meter)).toMatchObject({ committed: 1 })
    expect(meter.waits.counts.reduce((a, b) => a + b)).toBe(1)
  })

  it('counts the waiting transactions', async () => {
    const { meter, store } = await metered()
    const begun = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const first = store.tx(async () => {
      begun.resolve()
      await released.promise
    })
    await begun.promise
    const others = [1, 2].map(() => store.tx(async () => undefined))
    expect(meter.waiting).toBe(2)
    released.resolve()
    await Promise.all([first, ...others])
    expect(meter.waiting).toBe(0)
  })

  it('counts a transaction that never ran before the close of the store as waiting time', async () => {
    const meter = new StoreMeter()
    const store = await testStore(things)
    const closed = new MeteredStore(store, meter)
    await store.close()
    await expect(closed.tx(async () => undefined)).rejects.toThrow()
    expect([meter.waiting, endsOf(meter)]).toMatchObject([0, { failed: 1 }])
  })
})
