import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { feedCollections, servers } from '../../../domain/iam/collections/feed-store.ts'
import { leaseMs, type LeasePlace } from '../../../domain/iam/feed/leases.ts'
import { LiveFeed, type FeedOptions } from '../../../domain/iam/feed/live-feed.ts'
import { createClock } from '../../../server/clock.ts'
import { leasePlace } from '../../../server/iam/lease-place.ts'
import { openSqlite, type SqliteStore } from '../../../server/store/sqlite.ts'
import { testFolder } from '../store/harness.ts'

interface Server {
  readonly store: SqliteStore
  readonly feed: LiveFeed
  readonly leases: LeasePlace
  /** The changes that the listener of the feed has received, each as `KIND key`, or `reset`. */
  readonly told: readonly string[]
  readonly failures: readonly unknown[]
  /** Returns true if a call that is decided now checks the file for changes. */
  looks(): boolean
}

/**
 * Returns a server on a file, with a separate store and a started live feed on this store. The end of the test stops
 * the feed and closes the store.
 */
async function serverOn(file: string, parts: Partial<FeedOptions> = {}): Promise<Server> {
  const store = await openSqlite({ file, collections: feedCollections })
  const leases = await leasePlace(store)
  let looked = 0
  const told: string[] = []
  const failures: unknown[] = []
  const feed = new LiveFeed({
    store,
    clock: createClock(),
    leases,
    listeners: [{ changed: (kind, key) => void told.push(`${kind} ${key}`), reset: () => void told.push('reset') }],
    changedElsewhere() {
      looked += 1
      return store.changedElsewhere()
    },
    failed: error => void failures.push(error),
    ...parts,
  })
  await feed.start()
  onTestFinished(async () => {
    await feed.stop()
    await store.close()
  })
  const looks = (): boolean => {
    const before = looked
    void feed.follow()
    return looked > before
  }
  return { store, feed, leases, told, failures, looks }
}

const newFile = (): string => join(testFolder(), 'store.sqlite')

/** Polls until the server has a lease, and so decides without a check of the file. */
const leased = ({ looks }: Server): Promise<void> => expect.poll(looks, { timeout: 10_000, interval: 20 }).toBe(false)

/** Records a change of a role; returns the revision, and whether another server must apply the change. */
const change = ({ feed, store }: Server, role: string): Promise<readonly [revision: number, isFollowed: boolean]> =>
  store.tx(async tx => [await feed.revise(tx, 'ROLE', role), await feed.isFollowed(tx)] as const)

const leasesOf = ({ leases }: Server): Promise<number> | undefined => leases.store?.count(servers)

describe('a server on a file', () => {
  it('checks the file before each call until it has a lease, which it takes at its first call', async () => {
    const server = await serverOn(newFile())
    expect(await leasesOf(server)).toBe(0)
    expect(server.looks()).toBe(true)
    await leased(server)
    expect(await leasesOf(server)).toBe(1)
    expect(server.feed.isStale).toBe(false)
  })

  it('without calls keeps no other server waiting', async () => {
    const file = newFile()
    const [one, two] = [await serverOn(file), await serverOn(file)]
    expect(await change(one, 'a')).toEqual([1, false])
    expect(await one.feed.settled(1)).toBe(true)
    await two.feed.follow()
    expect(two.told).toEqual(['ROLE a'])
  })

  it('with a lease has applied a change of another server when the change is settled, without a check', async () => {
    const file = newFile()
    const [one, two] = [await serverOn(file), await serverOn(file)]
    await leased(two)
    for (const [i, role] of ['a', 'b', 'c'].entries()) {
      await leased(two)
      expect(await change(one, role)).toEqual([i + 1, true])
      expect(await one.feed.settled(i + 1)).toBe(true)
      expect(two.told.at(-1)).toBe(`ROLE ${role}`)
    }
  })

  it('that starts during the commit of a change is waited for', async () => {
    const file = newFile()
    const [one, two] = [await serverOn(file), await serverOn(file)]
    const [revision, isFollowed] = await one.store.tx(async tx => {
      const made = [await one.feed.revise(tx, 'ROLE', 'a'), await one.feed.isFollowed(tx)] as const
      await leased(two)
      return made
    })
    expect(isFollowed).toBe(false)
    expect(two.told).toEqual([])
    expect(await one.feed.settled(revision)).toBe(true)
    expect(two.told).toEqual(['ROLE a'])
  })

  it('checks the file again after its lease has expired, and finds the missed changes', async () => {
    const file = newFile()
    let ahead = 0
    const one = await serverOn(file)
    const two = await serverOn(file, { steady: () => performance.now() + ahead })
    await leased(two)
    // This line moves the clock of `two` past its lease, as a pause of its process would: other servers see an expired
    // lease before `two` does.
    ahead = leaseMs
    await change(one, 'a')
    expect(two.feed.isStale).toBe(false)
    await two.feed.follow()
    expect(two.told).toEqual(['ROLE a'])
    await leased(two)
  })

  it('keeps its lease while another process has the write lock of the file', async () => {
    const file = newFile()
    let ahead = 0
    const server = await serverOn(file, { steady: () => performance.now() + ahead })
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    await leased(server)
    ahead = leaseMs
    expect(server.looks()).toBe(true)
    await leased(server)
    expect(server.failures).toEqual([])
    other.exec('ROLLBACK')
  })

  it('checks the file as long as it cannot write its lease', async () => {
    const file = newFile()
    let ahead = 0
    const one = await serverOn(file)
    const two = await serverOn(file, { steady: () => performance.now() + ahead })
    await leased(two)
    const other = new DatabaseSync(`${file}-leases`)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    ahead = leaseMs
    expect(two.looks()).toBe(true)
    await expect.poll(() => two.failures.length, { timeout: 20_000 }).toBeGreaterThan(0)
    await change(one, 'a')
    expect(two.looks()).toBe(true)
    await two.feed.follow()
    expect(two.told).toEqual(['ROLE a'])
    other.exec('ROLLBACK')
    await leased(two)
  })

  it('does not wait for a lease from before a restart of the machine', async () => {
    const server = await serverOn(newFile())
    const { store, time } = server.leases
    const lease = { id: 'before', applied_rev: 0, lease_until: (await time()) + 1_000_000 }
    await store?.tx(tx => tx.insert(servers, lease))
    expect(await change(server, 'a')).toEqual([1, false])
    expect(await server.feed.settled(1)).toBe(true)
  })

  it('releases its lease when it stops', async () => {
    const file = newFile()
    const [one, two] = [await serverOn(file), await serverOn(file)]
    await leased(two)
    await two.feed.stop()
    expect(await leasesOf(one)).toBe(0)
    expect(two.looks()).toBe(true)
  })
})

it('the clock of leases is the same in all processes of the machine', async () => {
  const { time } = (await serverOn(newFile())).leases
  const before = await time()
  const { stdout } = spawnSync(process.execPath, ['-p', 'String(process.hrtime.bigint() / 1000000n)'])
  const there = Number(String(stdout))
  expect(there).toBeGreaterThanOrEqual(before)
  expect(there).toBeLessThanOrEqual(await time())
})
