import { Patience } from './patience.ts'

/** The admission of a request: true if its call may begin, false if the request must be refused. */
export type Admitted = boolean

/** The limits of turns, in milliseconds. */
export interface TurnLimits {
  /**
   * The time for which calls begin in one turn of the event loop. libuv accepts one connection a turn, so a turn that
   * answers hundreds of requests makes new connections wait for as many calls.
   */
  readonly turnMs: number
  /**
   * The time after which a waiting request is refused under lasting overload: its caller would otherwise wait longer
   * than a retry on another server takes. In a burst, a request may wait longer: see `Patience`.
   */
  readonly patienceMs: number
  /** The minimal interval between two refusals. A refused caller may send its next request immediately. */
  readonly refusalEveryMs: number
  /** The maximal delay of a refusal, however many refusals wait. */
  readonly refusalWithinMs: number
}

const defaultTurnLimits: TurnLimits = { turnMs: 1, patienceMs: 100, refusalEveryMs: 1, refusalWithinMs: 1400 }

/** The maximal time in milliseconds for which new connections precede calls. */
const mostAcceptMs = 50

interface Waiting {
  readonly sinceMs: number
  readonly settle: (isAdmitted: Admitted) => void
}

/**
 * Shares the turns of the event loop between the calls of a server. Calls begin immediately while the server has time.
 * Otherwise they wait in the order of their arrival, and requests that would wait too long are refused. Refusals are
 * delayed, because each refusal takes time from a call.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #patience: Patience
  readonly #ordinary = new Queue<Waiting>()
  readonly #urgent = new Queue<Waiting>()
  readonly #refused = new Queue<Waiting>()
  /** The time at which the first call of the present turn began; undefined before. */
  #beganMs: number | undefined
  /** Whether a connection was accepted since calls last began from the queues. */
  #hasAccepted = false
  /** The time until which new connections precede calls. */
  #acceptUntilMs = 0
  #wasUrgent = false
  #nextRefusalMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...defaultTurnLimits, ...limits }
    this.#patience = new Patience(this.#limits.patienceMs)
  }

  /** The number of requests that wait for a turn. */
  get waiting(): number {
    return this.#ordinary.length
  }

  /** Reports a new connection: as long as connections come, calls get half of the time. */
  accepted(): void {
    this.#hasAccepted = true
  }

  /**
   * Returns true if a call may begin now, otherwise a promise. Urgent requests are never refused, and precede others,
   * but get at most every second place.
   */
  enter(isUrgent: boolean): Admitted | Promise<Admitted> {
    const nowMs = performance.now()
    const isFirst = this.#beganMs === undefined
    if (isFirst) setImmediate(this.#turn)
    this.#beganMs ??= nowMs
    const isFree = this.waiting + this.#urgent.length === 0 && !this.#isAccepting(nowMs)
    if (isFree && (isFirst || nowMs - this.#beganMs < this.#limits.turnMs)) return true
    if (!isUrgent) this.#patience.arrived(nowMs, this.waiting === 0)
    return new Promise(settle => (isUrgent ? this.#urgent : this.#ordinary).push({ sinceMs: nowMs, settle }))
  }

  /** Resolves when a refusal may be answered. */
  refusal(): Promise<void> {
    const nowMs = performance.now()
    if (this.#refused.length === 0 && nowMs >= this.#nextRefusalMs) {
      this.#nextRefusalMs = nowMs + this.#limits.refusalEveryMs
      return Promise.resolve()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#refused.push({ sinceMs: nowMs, settle: () => resolve() })
    if (this.#beganMs === undefined) this.#timer ??= setTimeout(this.#release, 1)
    return promise
  }

  /** Begins waiting calls. Runs once a turn while calls begin, after the turn has read from its connections. */
  readonly #turn = (): void => {
    this.#release()
    const nowMs = performance.now()
    if (this.waiting + this.#urgent.length === 0) {
      this.#ended(nowMs)
      this.#beganMs = undefined
      return
    }
    const isAccepting = this.#isAccepting(nowMs)
    const ms = this.#hasAccepted ? 0 : this.#limits.turnMs
    this.#hasAccepted = false
    this.#beganMs = nowMs
    if (isAccepting) setImmediate(this.#turn)
    else this.#step(nowMs + ms)
  }

  #step(untilMs: number): void {
    this.#next()?.settle(true)
    // The callback runs after all microtasks, so after a call whose store answers synchronously.
    queueMicrotask(() =>
      process.nextTick(() => {
        const nowMs = performance.now()
        if (nowMs < untilMs && this.waiting + this.#urgent.length > 0) return this.#step(untilMs)
        this.#ended(nowMs)
        setImmediate(this.#turn)
      }),
    )
  }

  /** Reserves as much time for new connections as the calls of this turn took. */
  #ended(nowMs: number): void {
    this.#acceptUntilMs = nowMs + Math.min(nowMs - (this.#beganMs ?? nowMs), mostAcceptMs)
  }

  #isAccepting(nowMs: number): boolean {
    return this.#hasAccepted && nowMs < this.#acceptUntilMs
  }

  /** Removes and returns the next call to begin; refuses the requests that have waited too long. */
  #next(): Waiting | undefined {
    this.#wasUrgent = !this.#wasUrgent && this.#urgent.length > 0
    if (this.#wasUrgent) return this.#urgent.shift()
    const nowMs = performance.now()
    const earliestMs = nowMs - this.#patience.limitMs(nowMs)
    for (let next = this.#ordinary.shift(); next !== undefined; next = this.#ordinary.shift()) {
      if (next.sinceMs >= earliestMs) {
        this.#patience.began()
        return next
      }
      this.#patience.refused(nowMs)
      next.settle(false)
    }
    return this.#urgent.shift()
  }

  readonly #release = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const nowMs = performance.now()
    for (let next = this.#refused.first; next !== undefined; next = this.#refused.first) {
      if (nowMs < this.#nextRefusalMs && nowMs - next.sinceMs < this.#limits.refusalWithinMs) break
      this.#nextRefusalMs = Math.max(this.#nextRefusalMs, nowMs - this.#limits.turnMs) + this.#limits.refusalEveryMs
      this.#refused.shift()?.settle(false)
    }
    if (this.#refused.length > 0) this.#timer = setTimeout(this.#release, 1)
  }
}

/** A queue whose operations take constant time. */
class Queue<Item> {
  #items: (Item | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  get first(): Item | undefined {
    return this.#items[this.#head]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
