import { authorizationStale } from '../../../output/iam/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import { changeId, changes, holdRevision, readRevision, recordChange, sweepChanges } from '../collections/feed-store.ts'
import type { ChangeKind, Feed, FeedListener } from '../interfaces/feed.ts'
import { Leases, type LeasePlace } from './leases.ts'
import { least, Settling } from './settling.ts'

/** What the feed runs on. */
export interface FeedParts {
  readonly store: Store
  readonly clock: Clock
  /** Who keeps what changes may concern. */
  readonly listeners: readonly FeedListener[]
  /** Where the servers on the store keep their leases. Absent: nobody waits for others, and nobody for this one. */
  readonly leases?: LeasePlace | undefined
  /** Whether somebody has committed since it was last asked: a file can be looked at where there is no lease. */
  readonly changedElsewhere?: (() => boolean) | undefined
  /** Milliseconds by a clock that cannot be set. */
  readonly steady?: () => number
  /** Told when the feed cannot reach the store; it tries again. */
  readonly failed?: (error: unknown) => void
}

const everyMs = 1000
/** A look at a file costs microseconds, and whoever changes something waits for it. */
const lookMs = 100
const sweepMs = 60_000
const keptMs = 3_600_000

/**
 * The feed of changes over a store. What is committed here holds here at once. What others commit is read regularly while
 * this server has a lease, for which they wait; without one a file is looked at before each call, and a server on a
 * database is stale. `start` before anything is decided, `stop` before the store is closed.
 */
export class LiveFeed implements Feed {
  readonly #parts: FeedParts
  readonly #leases: Leases | undefined
  readonly #settling: Settling
  readonly #revised = new WeakMap<Transaction, number>()
  /** Everything up to this revision was applied. */
  #applied = 0
  #lastMade: number | undefined
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined
  #isBehind = false
  /** Whether a call was decided since the lease was renewed: a file that nobody asks about is left alone. */
  #isAsked = false
  #sweptAt: number
  readonly #steady: () => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: FeedParts) {
    const { clock, leases, steady = () => performance.now(), store } = parts
    this.#parts = parts
    this.#steady = steady
    this.#sweptAt = steady()
    this.#leases = leases && new Leases({ store, clock, place: leases, steady })
    this.#settling = new Settling(async () => (await this.#leases?.others()) ?? [])
  }

  /** Under which its lease is known; empty without leases. */
  get serverId(): string {
    return this.#leases?.id ?? ''
  }

  /** The last revision that was committed here. */
  get lastMade(): number | undefined {
    return this.#lastMade
  }

  /** Reads how far the changes are, and takes the lease. Listeners know nothing yet. */
  async start(): Promise<void> {
    this.#applied = await readRevision(this.#parts.store)
    if (!this.#isFile) await this.#renew()
    this.#schedule()
  }

  /** Lets go of the lease: nobody waits for this server any more. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#turn
    await this.#leases?.drop().catch((error: unknown) => this.#failed(error))
  }

  /** The lease ran out: what is known here may be out of date, and calls are answered AUTHORIZATION_STALE. */
  get isStale(): boolean {
    return this.#leases !== undefined && !this.#isFile && !this.#leases.isRunning
  }

  requireFresh(): void {
    if (this.isStale) throw authorizationStale('this server may have missed a change', { retryAfterSeconds: 1 })
  }

  /** To be awaited before a call is decided, unless undefined: others may have written what nobody waits to be followed. */
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

  /** Durable work asks for changes of another server too: then this one is among those who have to follow. */
  async #reach(revision: number): Promise<void> {
    if (this.#applied < revision) await this.catchUp()
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

  async #renew(): Promise<void> {
    this.#isAsked = false
    await this.#leases?.renew(async () => {
      await this.catchUp()
      return this.#applied
    })
  }

  /** A lease on a file is taken once it is asked for, and told of each change: whoever made it waits. */
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

  /** Deletes changes that nobody needs any more, and servers that are gone. */
  async #sweep(): Promise<void> {
    this.#sweptAt = this.#steady()
    await sweepChanges(this.#parts.store, this.#parts.clock.now() - keptMs)
    await this.#leases?.sweep(keptMs)
  }

  #failed(error: unknown): void {
    this.#parts.failed?.(error)
  }
}
