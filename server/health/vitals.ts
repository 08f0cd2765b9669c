import type { StoreMeter } from '../meters/store-meter.ts'
import { within } from './time-limit.ts'

/** How a server is. `degraded`: it answers, though not everything. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'draining'
  /** Of what is degraded: why, for people. */
  readonly reason?: string
  /** Whether calls should come here at all. */
  readonly isServing: boolean
}

/** What readiness is told from. */
export interface VitalSigns {
  /** Reads something from the store. */
  readonly read: () => Promise<unknown>
  /** Writes something into it. */
  readonly write: () => Promise<unknown>
  /** The server is about to end. */
  readonly isDraining: () => boolean
  readonly store: Pick<StoreMeter, 'lastUnavailableMs'>
}

/** A store that has not answered by then does not answer. */
const patienceMs = 2000

/** Writing costs a commit, and anybody may ask: once in so long is enough. */
const writeEveryMs = 1000

/** A change that the store has given up so lately tells that it does not take all: a full disk has room for small rows. */
const lateMs = 5000

/** Tells how the server is by what its store does when it is asked. */
export class Vitals {
  readonly #signs: VitalSigns
  #written: { readonly atMs: number; readonly isDone: Promise<boolean> } | undefined

  constructor(signs: VitalSigns) {
    this.#signs = signs
  }

  /** Takes no longer than the store is waited for, and never rejects. */
  async readiness(): Promise<Readiness> {
    const { isDraining, read, store } = this.#signs
    if (isDraining()) return { status: 'draining', isServing: false }
    const [isReadable, isWritable] = await Promise.all([isDoneInTime(read), this.#isWritable()])
    if (!isReadable) return { status: 'degraded', reason: 'the store does not answer', isServing: false }
    if (!isWritable) return { status: 'degraded', reason: 'the store cannot be written', isServing: true }
    const isLate = performance.now() - store.lastUnavailableMs < lateMs
    if (isLate) return { status: 'degraded', reason: 'the store has given up changes', isServing: true }
    return { status: 'ready', isServing: true }
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
  (await within(
    work().then(() => true),
    patienceMs,
  )) ?? false
