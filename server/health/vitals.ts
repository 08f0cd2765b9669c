import type { StoreMeter } from '../meters/store-meter.ts'
import { resultWithin } from './time-limit.ts'

/** The health of a server. A `degraded` server answers only some calls. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'draining'
  /** The reason for a degradation, for people. */
  readonly reason?: string
  /** Whether calls should be sent to this server. */
  readonly isServing: boolean
}

/** The sources of readiness. */
export interface VitalSigns {
  /** Reads a row from the store. */
  readonly read: () => Promise<unknown>
  /** Writes a row to the store. */
  readonly write: () => Promise<unknown>
  /** Whether the server is about to end. */
  readonly isDraining: () => boolean
  /** Whether the server refuses all callers, because it may have missed changes of their rights. */
  readonly isStale: () => boolean
  readonly store: Pick<StoreMeter, 'lastUnavailableMs'>
  /** Returns the reasons for which areas serve only some of their calls; absent: none. */
  readonly degradations?: () => readonly string[]
}

/** The time limit of a test read or write in milliseconds; a slower store counts as unavailable. */
const patienceMs = 2000

/**
 * The minimal interval of test writes in milliseconds: a write costs a commit, and any caller may request the
 * readiness.
 */
const writeEveryMs = 1000

/**
 * The time in milliseconds for which the server is degraded after the store has given up a transaction: a full disk may
 * still have room for the small row of a test write.
 */
const lateMs = 5000

/** The health of the server, from test reads and writes of its store. */
export class Vitals {
  readonly #signs: VitalSigns
  #written: { readonly atMs: number; readonly isDone: Promise<boolean> } | undefined

  constructor(signs: VitalSigns) {
    this.#signs = signs
  }

  /** Returns the readiness. Takes no longer than `patienceMs`, and never rejects. */
  async readiness(): Promise<Readiness> {
    const { isDraining, isStale, read, store } = this.#signs
    if (isDraining()) return { status: 'draining', isServing: false }
    const [isReadable, isWritable] = await Promise.all([isDoneInTime(read), this.#isWritable()])
    if (!isReadable) return { status: 'degraded', reason: 'the store does not answer', isServing: false }
    if (isStale()) return { status: 'degraded', reason: 'changes of access may be missing here', isServing: false }
    if (!isWritable) return { status: 'degraded', reason: 'the store cannot be written', isServing: true }
    const isLate = performance.now() - store.lastUnavailableMs < lateMs
    if (isLate) return { status: 'degraded', reason: 'the store has given up changes', isServing: true }
    const [reason] = this.#signs.degradations?.() ?? []
    return reason === undefined ? { status: 'ready', isServing: true } : { status: 'degraded', reason, isServing: true }
  }

  #isWritable(): Promise<boolean> {
    const nowMs = performance.now()
    if (this.#written === undefined || nowMs - this.#written.atMs >= writeEveryMs) {
      this.#written = { atMs: nowMs, isDone: isDoneInTime(this.#signs.write) }
    }
    return this.#written.isDone
  }
}

const isDoneInTime = async (work: () => Promise<unknown>): Promise<boolean> =>
  (await resultWithin(
    work().then(() => true),
    patienceMs,
  )) ?? false
