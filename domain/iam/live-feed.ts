import { formatMillis } from '../../runtime/timestamps.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Transaction } from '../ports/store.ts'
import { changeId, changes, holdRevision, readRevision, recordChange, servers } from './feed-store.ts'
import type { ChangeKind, Feed, FeedListener } from './feed.ts'
import { dropLease, leaseMs, liveServers, marginMs, writeLease } from './leases.ts'
import { Settling } from './settling.ts'

/** What the feed runs on. */
export interface FeedParts {
  readonly store: Store
  readonly clock: Clock
  /** Who keeps what changes may concern. */
  readonly listeners: readonly FeedListener[]
  /** The time of a store that several servers may share, milliseconds since 1970. Absent for a file of this machine. */
  readonly time?: (() => Promise<number>) | undefined
  /** Whether somebody has committed since it was last asked; of a file that other processes may write. */
  readonly changedElsewhere?: (() => boolean) | undefined
  /** Milliseconds by a clock that cannot be set. */
  readonly steady?: () => number
  /** Told when the feed cannot reach the store; it tries again. */
  readonly failed?: (error: unknown) => void
}

const everyMs = 1000
const sweepMs = 60_000
const keptMs = 3_600_000
/** Rows that one sweep deletes. */
const sweptRows = 500

/**
 * The feed of changes over a store. What is committed here holds here at once; what others commit is read once a second,
 * or, of a file, before each call. `start` before anything is decided, `stop` before the store is closed.
 */
export class LiveFeed implements Feed {
  readonly isShared: boolean
  readonly serverId: string
  readonly #parts: FeedParts
  readonly #steady: () => number
  readonly #settling: Settling
  readonly #revised = new WeakMap<Transaction, number>()
  /** Everything up to this revision was applied. */
  #applied = 0
  #freshUntil = -Infinity
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined
  #isBehind = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: FeedParts) {
    const { clock, steady = () => performance.now(), time } = parts
    this.#parts = parts
    this.#steady = steady
    this.isShared = time !== undefined
    this.serverId = clock.newId()
    this.#settling = new Settling(() => this.#others())
  }

  /** Reads how far the changes are, and takes the lease. Listeners know nothing yet. */
  async start(): Promise<void> {
    this.#applied = await readRevision(this.#parts.store)
    if (this.isShared) await this.#renew()
    this.#schedule(0)
  }

  /** Lets go of the lease: nobody waits for this server any more. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#turn
    this.#freshUntil = -Infinity
    if (this.isShared)
      await this.#parts.store.tx(tx => dropLease(tx, this.serverId)).catch(error => this.#failed(error))
  }

  /** The lease ran out: what is known here may be out of date, and calls are answered AUTHORIZATION_STALE. */
  get isStale(): boolean {
    return this.isShared && this.#steady() > this.#freshUntil
  }

  /** To be awaited before a call is decided, unless undefined: other processes may have written the file. */
  follow(): Promise<void> | undefined {
    if (this.isShared) return undefined
    if (this.#parts.changedElsewhere?.()) this.#isBehind = true
    return this.#isBehind ? this.catchUp() : (this.#next ?? this.#reading)
  }

  async hold(tx: Transaction): Promise<void> {
    await holdRevision(tx)
  }

  async revise(tx: Transaction, kind: ChangeKind, key: string): Promise<number> {
    const revision = await recordChange(tx, kind, key, this.#parts.clock.now())
    this.#revised.set(tx, revision)
    tx.afterCommit(() => {
      this.#apply(kind, key)
      if (revision === this.#applied + 1) this.#applied = revision
    })
    return revision
  }

  async unsettled(tx: Transaction): Promise<number | undefined> {
    const revision = this.#revised.get(tx)
    if (revision === undefined || !this.isShared) return undefined
    // The clock is that of the store but for the time that asking takes, which the margin covers.
    const live = await liveServers(tx, this.serverId, this.#parts.clock.now() - marginMs)
    return live.length > 0 ? revision : undefined
  }

  async settled(revision: number): Promise<boolean> {
    return !this.isShared || this.#settling.wait(revision)
  }

  /** Applies every change that was committed before the call. */
  catchUp(): Promise<void> {
    // A read that has begun may have missed what was committed since; all that wait share the one behind it.
    this.#next ??= (this.#reading ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        this.#reading = this.#read().finally(() => (this.#reading = undefined))
        return this.#reading
      })
    return this.#next
  }

  async #read(): Promise<void> {
    this.#isBehind = false
    try {
      await this.#readChanges()
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  async #readChanges(): Promise<void> {
    const { listeners, store } = this.#parts
    const revision = await readRevision(store)
    const before = this.#applied
    let last = before
    if (revision > before) {
      for await (const { id, value } of store.each(changes, {}, changeId(before))) {
        if (Number(id) !== last + 1) break
        this.#apply(value.kind, value.key)
        last += 1
      }
    }
    // Some are not kept any more, or the store was put back to what it once was.
    if (last < revision || revision < before) {
      for (const listener of listeners) listener.reset()
      last = revision
    }
    this.#applied = revision < before ? revision : Math.max(this.#applied, last)
  }

  #apply(kind: ChangeKind, key: string): void {
    for (const listener of this.#parts.listeners) listener.changed(kind, key)
  }

  async #others(): Promise<Awaited<ReturnType<typeof liveServers>>> {
    return liveServers(this.#parts.store, this.serverId, await this.#storeTime())
  }

  async #storeTime(): Promise<number> {
    return this.#parts.time?.() ?? this.#parts.clock.now()
  }

  /** First applies what it can see, so that a live lease is at most one renewal behind (iam.md 4.3). */
  async #renew(): Promise<void> {
    const { store } = this.#parts
    const before = this.#steady()
    const until = (await this.#storeTime()) + leaseMs
    await this.catchUp()
    const lease = { id: this.serverId, applied_rev: this.#applied, lease_until: until }
    if (this.#steady() < this.#freshUntil) await store.tx(tx => writeLease(tx, lease, false))
    if (this.#steady() >= this.#freshUntil) {
      // Nobody waits for a server without a lease: what was changed meanwhile is read once it has one.
      await store.tx(tx => writeLease(tx, lease, true))
      await this.catchUp()
    }
    this.#freshUntil = before + leaseMs - marginMs
  }

  #schedule(turns: number): void {
    if (this.#isStopped) return
    const run = (): void => {
      this.#turn = this.#work(turns).then(() => this.#schedule(turns + 1))
    }
    this.#timer = setTimeout(run, everyMs)
    this.#timer.unref()
  }

  async #work(turns: number): Promise<void> {
    try {
      if (this.isShared) await this.#renew()
      if (turns % (sweepMs / everyMs) === sweepMs / everyMs - 1) await this.#sweep()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Deletes changes that nobody needs any more, and servers that are gone. */
  async #sweep(): Promise<void> {
    const now = await this.#storeTime()
    const since = formatMillis(now - keptMs)
    await this.#parts.store.tx(async tx => {
      let left = sweptRows
      for await (const { id, value, version } of tx.each(changes)) {
        if (left === 0 || value.created >= since) break
        await tx.delete(changes, id, version)
        left -= 1
      }
      for await (const { id, value, version } of tx.each(servers)) {
        if (value.lease_until < now - keptMs) await tx.delete(servers, id, version)
      }
    })
  }

  #failed(error: unknown): void {
    this.#parts.failed?.(error)
  }
}
