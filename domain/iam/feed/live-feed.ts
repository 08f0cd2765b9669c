import { authorizationStale } from '../../../output/iam/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import { changeId, changes, holdRevision, readRevision, recordChange, sweepChanges } from '../collections/feed-store.ts'
import type { ChangeKind, Feed, FeedListener } from '../interfaces/feed.ts'
import { Leases, type LeasePlace } from './leases.ts'
import { least, Settling } from './settling.ts'

/** The parts of the feed. */
export interface FeedOptions {
  readonly store: Store
  readonly clock: Clock
  /** The caches that the feed informs of changes. */
  readonly listeners: readonly FeedListener[]
  /** The place of the servers' leases. Absent: changes wait for no other server. */
  readonly leases?: LeasePlace | undefined
  /**
   * Returns whether another process has committed a transaction since the last call. Only given for a store in a file,
   * where this check is cheap.
   */
  readonly changedElsewhere?: (() => boolean) | undefined
  /** Returns milliseconds of a clock that cannot be set. */
  readonly steady?: () => number
  /** Receives the error if the feed cannot reach the store; the feed retries. */
  readonly failed?: (error: unknown) => void
}

const everyMs = 1000
/**
 * The interval of the checks of a file, in milliseconds. A check takes microseconds, and changes wait for its result.
 */
const lookMs = 100
const sweepMs = 60_000
const keptMs = 3_600_000

/**
 * The feed of changes over a store. This server applies its own changes at their commit. While this server has a lease,
 * it reads the changes of other servers regularly, and changes of other servers wait for this server. Without a lease,
 * a server on a file checks the file before each call, and a server on a database is stale. Call `start` before the
 * first decision, and `stop` before the store is closed.
 */
export class LiveFeed implements Feed {
  readonly #parts: FeedOptions
  readonly #leases: Leases | undefined
  readonly #settling: Settling
  readonly #revised = new WeakMap<Transaction, number>()
  /** The revision up to which this server has applied all changes. */
  #applied = 0
  #lastMade: number | undefined
  #changes = 0
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined
  #isBehind = false
  /**
   * Whether a call was decided since the last renewal of the lease. Without calls, the lease on a file is not renewed.
   */
  #isAsked = false
  #sweptAt: number
  readonly #steady: () => number
  readonly #listeners: FeedListener[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: FeedOptions) {
    const { clock, leases, listeners, steady = () => performance.now(), store } = parts
    this.#parts = parts
    this.#listeners = [...listeners]
    this.#steady = steady
    this.#sweptAt = steady()
    this.#leases = leases && new Leases({ store, clock, place: leases, steady })
    this.#settling = new Settling(async () => (await this.#leases?.others()) ?? [])
  }

  /** The id of this server's lease; empty without leases. */
  get serverId(): string {
    return this.#leases?.id ?? ''
  }

  /** The last revision that this server has committed; undefined before the first. */
  get lastMade(): number | undefined {
    return this.#lastMade
  }

  /** The number of times that the caches were informed of a change or dropped all entries. */
  get changes(): number {
    return this.#changes
  }

  /**
   * Reads the current revision, and acquires the lease unless the store is a file. The caches are still empty at this
   * time.
   */
  async start(): Promise<void> {
    this.#applied = await readRevision(this.#parts.store)
    if (!this.#isFile) await this.#renew()
    this.#schedule()
  }

  /** Releases the lease, so that no change waits for this server. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#turn
    await this.#leases?.drop().catch((error: unknown) => this.#failed(error))
  }

  /**
   * Whether the lease of a server on a database has expired. Then the caches may be outdated, and calls fail with
   * AUTHORIZATION_STALE. False for a server on a file.
   */
  get isStale(): boolean {
    return this.#leases !== undefined && !this.#isFile && !this.#leases.isRunning
  }

  requireFresh(): void {
    if (this.isStale) throw authorizationStale('this server may have missed a change', { retryAfterSeconds: 1 })
  }

  /**
   * Returns a promise to await before a call is decided, or undefined if no wait is needed. Without a lease, other
   * servers may have committed changes that did not wait for this server.
   */
  follow(): Promise<void> | undefined {
    this.#isAsked = true
    return this.#leases?.isRunning ? undefined : this.#look()
  }

  get #isFile(): boolean {
    return this.#parts.changedElsewhere !== undefined
  }

  #look(): Promise<void> | undefined {
    if (this.#parts.changedElsewhere === undefined) return undefined
    if (this.#parts.changedElsewhere()) this.#isBehind = true
    return this.#isBehind ? this.catchUp() : (this.#next ?? this.#reading)
  }

  listen(listener: FeedListener): void {
    this.#listeners.push(listener)
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
      this.#lastMade = revision
    })
    return revision
  }

  revised(tx: Transaction): number | undefined {
    return this.#revised.get(tx)
  }

  async isFollowed(tx: Transaction): Promise<boolean> {
    return this.#leases !== undefined && (await this.#leases.others(tx)).length > 0
  }

  async settled(revision: number): Promise<boolean> {
    if (this.#leases === undefined) return true
    await this.#reach(revision)
    return this.#settling.wait(revision)
  }

  async isSettled(revision: number): Promise<boolean> {
    if (this.#leases === undefined) return true
    await this.#reach(revision)
    return revision <= least(await this.#leases.others())
  }

  /** Applies the changes up to a revision on this server, which may not have read the changes of other servers yet. */
  async #reach(revision: number): Promise<void> {
    if (this.#applied < revision) await this.catchUp()
  }

  /** Applies every change that was committed before this call. */
  catchUp(): Promise<void> {
    // A read in progress may miss later commits, so all waiting calls share the next read.
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
    const { store } = this.#parts
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
    // The changes have a gap because old changes were deleted, or the store was restored to an earlier state.
    if (last < revision || revision < before) {
      this.#changes += 1
      for (const listener of this.#listeners) listener.reset()
      last = revision
    }
    this.#applied = revision < before ? revision : Math.max(this.#applied, last)
  }

  #apply(kind: ChangeKind, key: string): void {
    this.#changes += 1
    for (const listener of this.#listeners) listener.changed(kind, key)
  }

  async #renew(): Promise<void> {
    this.#isAsked = false
    await this.#leases?.renew(async () => {
      await this.catchUp()
      return this.#applied
    })
  }

  /**
   * Checks the file, and renews the lease if calls need it or if the revision in the lease is outdated, because changes
   * wait for the lease.
   */
  async #followFile({ age, applied, isRunning }: Leases): Promise<void> {
    if (isRunning) await this.#look()
    const isBehind = isRunning && applied !== this.#applied
    if (isBehind || (this.#isAsked && age >= everyMs)) await this.#renew()
  }

  #schedule(): void {
    if (this.#isStopped) return
    const run = (): void => {
      this.#turn = this.#work().then(() => this.#schedule())
    }
    const isLooking = this.#isFile && this.#leases?.isRunning
    this.#timer = setTimeout(run, isLooking ? lookMs : everyMs)
    this.#timer.unref()
  }

  async #work(): Promise<void> {
    try {
      if (this.#leases) await (this.#isFile ? this.#followFile(this.#leases) : this.#renew())
      if (this.#steady() - this.#sweptAt >= sweepMs) await this.#sweep()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Deletes changes that are older than an hour, and the leases of ended servers. */
  async #sweep(): Promise<void> {
    this.#sweptAt = this.#steady()
    await sweepChanges(this.#parts.store, this.#parts.clock.now() - keptMs)
    await this.#leases?.sweep(keptMs)
  }

  #failed(error: unknown): void {
    this.#parts.failed?.(error)
  }
}
