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
  /** The caches that changes may concern. */
  readonly listeners: readonly FeedListener[]
  /** The place of the servers' leases. Absent: no server waits for another. */
  readonly leases?: LeasePlace | undefined
  /** Whether a transaction was committed since the last question. A file allows a cheap answer without a lease. */
  readonly changedElsewhere?: (() => boolean) | undefined
  /** Milliseconds of a clock that cannot be set. */
  readonly steady?: () => number
  /** Called if the feed cannot reach the store; the feed retries. */
  readonly failed?: (error: unknown) => void
}

const everyMs = 1000
/** A look at a file takes microseconds, and changes wait for its result. */
const lookMs = 100
const sweepMs = 60_000
const keptMs = 3_600_000

/**
 * The feed of changes over a store. This server applies its own changes at once. It reads the changes of others
 * regularly while it has a lease, and they wait for it. Without a lease, a server on a file looks at the file before
 * each call, and a server on a database is stale. Call `start` before the first decision, and `stop` before the store
 * is closed.
 */
export class LiveFeed implements Feed {
  readonly #parts: FeedOptions
  readonly #leases: Leases | undefined
  readonly #settling: Settling
  readonly #revised = new WeakMap<Transaction, number>()
  /** The revision up to which all changes are applied. */
  #applied = 0
  #lastMade: number | undefined
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined
  #isBehind = false
  /** Whether a call was decided since the last renewal of the lease; without calls the file is not read. */
  #isAsked = false
  #sweptAt: number
  readonly #steady: () => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: FeedOptions) {
    const { clock, leases, steady = () => performance.now(), store } = parts
    this.#parts = parts
    this.#steady = steady
    this.#sweptAt = steady()
    this.#leases = leases && new Leases({ store, clock, place: leases, steady })
    this.#settling = new Settling(async () => (await this.#leases?.others()) ?? [])
  }

  /** The id of its lease; empty without leases. */
  get serverId(): string {
    return this.#leases?.id ?? ''
  }

  /** The last revision that this server committed. */
  get lastMade(): number | undefined {
    return this.#lastMade
  }

  /** Reads the present revision, and takes the lease. The caches are still empty. */
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

  /** The lease has expired: the caches may be outdated, and calls are answered AUTHORIZATION_STALE. */
  get isStale(): boolean {
    return this.#leases !== undefined && !this.#isFile && !this.#leases.isRunning
  }

  requireFresh(): void {
    if (this.isStale) throw authorizationStale('this server may have missed a change', { retryAfterSeconds: 1 })
  }

  /**
   * Returns a promise to await before a call is decided, or undefined: other servers may have committed changes that
   * did not wait for this server.
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

  /** Durable work also polls for the changes of other servers, and this server must apply them too. */
  async #reach(revision: number): Promise<void> {
    if (this.#applied < revision) await this.catchUp()
  }

  /** Applies every change that was committed before this call. */
  catchUp(): Promise<void> {
    // A read in progress may have missed later commits, so all waiting calls share the next read.
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
    // Old changes were deleted, or the store was restored to an earlier state.
    if (last < revision || revision < before) {
      for (const listener of listeners) listener.reset()
      last = revision
    }
    this.#applied = revision < before ? revision : Math.max(this.#applied, last)
  }

  #apply(kind: ChangeKind, key: string): void {
    for (const listener of this.#parts.listeners) listener.changed(kind, key)
  }

  async #renew(): Promise<void> {
    this.#isAsked = false
    await this.#leases?.renew(async () => {
      await this.catchUp()
      return this.#applied
    })
  }

  /** A lease on a file is taken on demand and told of each change, because changes wait for it. */
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

  /** Deletes changes that are no longer needed, and servers that are gone. */
  async #sweep(): Promise<void> {
    this.#sweptAt = this.#steady()
    await sweepChanges(this.#parts.store, this.#parts.clock.now() - keptMs)
    await this.#leases?.sweep(keptMs)
  }

  #failed(error: unknown): void {
    this.#parts.failed?.(error)
  }
}
