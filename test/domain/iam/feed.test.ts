import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import {
  changes,
  feedCollections,
  readRevision,
  revisions,
  servers,
} from '../../../domain/iam/collections/feed-store.ts'
import type { ChangeKind, FeedListener } from '../../../domain/iam/interfaces/feed.ts'
import { LiveFeed, type FeedOptions } from '../../../domain/iam/feed/live-feed.ts'
import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import { createClock } from '../../../server/clock.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { storeAt, testPlace } from '../../server/store/harness.ts'

const administrators: Collection<{ readonly id: string }> = { name: 'test_administrators', id: 'id' }
const collections = [...feedCollections, bindings, administrators]

/** A listener that records its changes in order, each as `KIND key`, and its resets as `reset`. */
class Told implements FeedListener {
  readonly lines: string[] = []

  changed(kind: ChangeKind, key: string): void {
    this.lines.push(`${kind} ${key}`)
  }

  reset(): void {
    this.lines.push('reset')
  }
}

interface Server {
  readonly store: ServerStore
  readonly feed: LiveFeed
  readonly told: Told
}

/** Opens a store in a place, and starts a feed on this store. */
async function serverAt(place: string, parts: Partial<FeedOptions> = {}): Promise<Server> {
  const store = await storeAt(place, ...collections)
  const told = new Told()
  const changedElsewhere = store.changedElsewhere?.bind(store)
  const feed = new LiveFeed({ store, clock: createClock(), listeners: [told], changedElsewhere, ...parts })
  await feed.start()
  onTestFinished(() => feed.stop())
  return { store, feed, told }
}

const change = (
  { feed, store }: Server,
  key: string,
  run: (tx: Transaction) => Promise<unknown> = async () => undefined,
): Promise<number> =>
  store.tx(async tx => {
    await feed.hold(tx)
    await run(tx)
    return feed.revise(tx, 'PRINCIPAL', key)
  })

async function revisionsOf(store: ServerStore): Promise<number[]> {
  const found: number[] = []
  for await (const { id } of store.each(changes)) found.push(Number(id))
  return found
}

describe('changes', () => {
  test('are numbered in the order of their commits, without a gap for any reader', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place), await serverAt(place)]
    const writing = new AbortController()
    const watch = async (): Promise<void> => {
      while (!writing.signal.aborted) {
        const seen = await revisionsOf(two.store)
        expect(seen).toEqual(seen.map((_, i) => i + 1))
        await setImmediate()
      }
    }
    const watching = watch()
    const made = await Promise.all(Array.from({ length: 40 }, (_, i) => change(i % 2 === 0 ? one : two, `p${i}`)))
    writing.abort()
    await watching
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expect(await readRevision(one.store)).toBe(40)
  })

  test('exclude each other until they are committed: of two administrators who remove each other one remains', async () => {
    const server = await serverAt(await testPlace())
    for (let round = 0; round < 5; round += 1) {
      await server.store.tx(async tx => {
        for (const id of ['ada', 'bob'])
          if (!(await tx.get(administrators, id))) await tx.insert(administrators, { id })
      })
      const remove = (id: string): Promise<number> =>
        change(server, id, async tx => {
          if ((await tx.count(administrators)) < 2) throw new Error('the last one')
          const stored = await tx.get(administrators, id)
          await tx.delete(administrators, id, stored?.version ?? 0)
        })
      const ends = await Promise.allSettled([remove('ada'), remove('bob')])
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await server.store.count(administrators)).toBe(1)
    }
  })

  test('reach listeners at the commit, and never after a rollback', async () => {
    const server = await serverAt(await testPlace())
    const { store, told } = server
    await change(server, 'a', async () => expect(told.lines).toEqual([]))
    expect(told.lines).toEqual(['PRINCIPAL a'])
    const undone = change(server, 'b', async () => {
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(told.lines).toEqual(['PRINCIPAL a'])
    expect(await readRevision(store)).toBe(1)
  })

  test('of one transaction reach listeners in order', async () => {
    const { feed, store, told } = await serverAt(await testPlace())
    const made = await store.tx(async tx => [await feed.revise(tx, 'ROLE', 'r'), await feed.revise(tx, 'SCOPE', 's')])
    expect(made).toEqual([1, 2])
    expect(told.lines).toEqual(['ROLE r', 'SCOPE s'])
  })

  test('of other servers reach listeners once they are read', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place), await serverAt(place)]
    await change(one, 'a')
    await change(two, 'b')
    await change(one, 'c')
    await one.feed.catchUp()
    await two.feed.catchUp()
    expect(new Set(one.told.lines)).toEqual(new Set(['PRINCIPAL a', 'PRINCIPAL b', 'PRINCIPAL c']))
    expect(new Set(two.told.lines)).toEqual(new Set(['PRINCIPAL a', 'PRINCIPAL b', 'PRINCIPAL c']))
    const before = one.told.lines.length
    await one.feed.catchUp()
    expect(one.told.lines.length).toBe(before)
  })

  test('that are no longer kept reset all listeners', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place), await serverAt(place)]
    for (const key of ['a', 'b', 'c']) await change(one, key)
    await one.store.tx(async tx => {
      for await (const { id, version } of tx.each(changes)) if (Number(id) < 3) await tx.delete(changes, id, version)
    })
    await two.feed.catchUp()
    expect(two.told.lines.at(-1)).toBe('reset')
    await change(one, 'd')
    await two.feed.catchUp()
    expect(two.told.lines.at(-1)).toBe('PRINCIPAL d')
  })

  test('that a restored store has lost reset all listeners', async () => {
    const place = await testPlace()
    const server = await serverAt(place)
    await change(server, 'a')
    await server.store.tx(async tx => {
      const stored = await tx.lock(revisions, 'revision')
      await tx.update(revisions, 'revision', { id: 'revision', rev: 0 }, stored?.version ?? 0)
      for await (const { id, version } of tx.each(changes)) await tx.delete(changes, id, version)
    })
    await server.feed.catchUp()
    expect(server.told.lines.at(-1)).toBe('reset')
  })

  test('that could not be read are read by the next request', async () => {
    const place = await testPlace()
    const other = await serverAt(place)
    const store = await storeAt(place, ...collections)
    const told = new Told()
    let isAway = false
    let isChanged = false
    const broken = new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]): unknown => {
          if (isAway) throw new Error('away')
          return Reflect.apply(member, target, parameters)
        }
      },
    })
    const changedElsewhere = (): boolean => [isChanged, (isChanged = false)][0] ?? false
    const feed = new LiveFeed({ store: broken, clock: createClock(), listeners: [told], changedElsewhere })
    await feed.start()
    onTestFinished(() => feed.stop())
    expect(feed.follow()).toBeUndefined()
    await change(other, 'a')
    isChanged = isAway = true
    await expect(feed.follow()).rejects.toThrow('away')
    isAway = false
    await feed.follow()
    expect(told.lines).toEqual(['PRINCIPAL a'])
    expect(feed.follow()).toBeUndefined()
  })
})

/** A clock that the test sets, and a store that the test can cut off: a cut-off store never answers. */
class Line {
  now = 0
  isCut = false
  readonly #store: ServerStore

  constructor(store: ServerStore) {
    this.#store = store
  }

  get store(): ServerStore {
    const isCut = (): boolean => this.isCut
    return new Proxy(this.#store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]): unknown => {
          if (isCut()) return new Promise(() => undefined)
          return Reflect.apply(member, target, parameters)
        }
      },
    })
  }
}

/** The options of a feed on a database, where a server cannot check a file for changes. */
const onDatabase = { leases: { time: async () => Date.now() }, changedElsewhere: undefined } as const

/** Records a change; returns its revision, and whether another server must apply the change. */
const changeOf = async ({ feed, store }: Server): Promise<readonly [revision: number, isFollowed: boolean]> =>
  store.tx(async tx => [await feed.revise(tx, 'ROLE', 'r'), await feed.isFollowed(tx)] as const)

describe('servers on a shared store', () => {
  test('do not wait without other servers', async () => {
    const server = await serverAt(await testPlace(), onDatabase)
    expect(await changeOf(server)).toEqual([1, false])
    expect(await server.feed.settled(1)).toBe(true)
  })

  test('wait until the other servers have applied a change', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place, onDatabase), await serverAt(place, onDatabase)]
    expect(await changeOf(one)).toEqual([1, true])
    expect(two.told.lines).toEqual([])
    expect(await one.feed.settled(1)).toBe(true)
    expect(two.told.lines).toEqual(['ROLE r'])
    expect(two.feed.isStale).toBe(false)
  })

  test('have applied a change themselves when they find that all others have', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place, onDatabase), await serverAt(place, onDatabase)]
    const revision = await change(one, 'a')
    expect(await two.feed.settled(revision)).toBe(true)
    expect(two.told.lines).toEqual(['PRINCIPAL a'])
  })

  test('do not wait for a server that was cut off for longer than its lease, which by then knows that it is stale', async () => {
    const place = await testPlace()
    const one = await serverAt(place, onDatabase)
    const line = new Line(await storeAt(place, ...collections))
    const told = new Told()
    const cut = new LiveFeed({ store: line.store, clock: createClock(), listeners: [told], ...onDatabase })
    await cut.start()
    expect(cut.isStale).toBe(false)
    line.isCut = true
    const revision = await change(one, 'a')
    const began = performance.now()
    expect(await one.feed.settled(revision)).toBe(true)
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(cut.isStale).toBe(true)
    expect(told.lines).toEqual([])
  })

  test('do not wait for a stopped server', async () => {
    const place = await testPlace()
    const [one, two] = [await serverAt(place, onDatabase), await serverAt(place, onDatabase)]
    await two.feed.stop()
    expect(two.feed.isStale).toBe(true)
    expect(await one.store.count(servers)).toBe(1)
    expect(await changeOf(one)).toEqual([1, false])
  })

  test('report a change as not settled while a server with a lease has not applied it', async () => {
    const place = await testPlace()
    const one = await serverAt(place, onDatabase)
    const lease = { id: 'somebody', applied_rev: 0, lease_until: Date.now() + 60_000 }
    await one.store.tx(tx => tx.insert(servers, lease))
    expect(await one.feed.settled(await change(one, 'a'))).toBe(false)
    await one.store.tx(async tx => {
      const stored = await tx.lock(servers, 'somebody')
      await tx.update(servers, 'somebody', { ...lease, applied_rev: 1 }, stored?.version ?? 0)
    })
    expect(await one.feed.settled(1)).toBe(true)
  })

  test('that return apply all missed changes before they are fresh', async () => {
    const place = await testPlace()
    const one = await serverAt(place, onDatabase)
    let now = 0
    const two = await serverAt(place, { ...onDatabase, steady: () => now })
    expect(two.feed.isStale).toBe(false)
    await change(one, 'a')
    now = 100_000
    expect(two.feed.isStale).toBe(true)
    await expect.poll(() => two.feed.isStale, { interval: 5 }).toBe(false)
    expect(two.told.lines).toEqual(['PRINCIPAL a'])
  })

  test('are stale half a second before their lease expires', async () => {
    let now = 0
    let asked = 0
    const store = await storeAt(await testPlace(), ...collections)
    const line = new Line(store)
    const feed = new LiveFeed({
      store: line.store,
      clock: createClock(),
      listeners: [],
      steady: () => now,
      leases: {
        time: async () => {
          asked += 1
          return Date.now()
        },
      },
    })
    await feed.start()
    line.isCut = true
    expect(asked).toBe(1)
    for (const [at, isStale] of [
      [2500, false],
      [2501, true],
    ] as const) {
      now = at
      expect(feed.isStale).toBe(isStale)
    }
  })
})
