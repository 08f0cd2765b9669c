import type { Store } from '../../../domain/ports/store.ts'
import { readVpc, vpcOfPort } from '../../../domain/network/packets/read-vpc.ts'
import type { VpcRows } from '../../../domain/network/packets/switched-vpc.ts'

/** The shortest time between two rounds, in milliseconds. */
const everyMs = 1000
/** The factor of the time of a round for the wait after the round, so that reading takes at most 5% of a core. */
const restFactor = 20

/** The parts of a feed. */
export interface FeedParts {
  readonly store: Pick<Store, 'snapshot'>
  /** Receives the rows of a VPC when the VPC is first read, and after each change. */
  changed(rows: VpcRows): void
  /** Called for a VPC that was deleted, or that has no watched ports any more. */
  gone(vpc: string): void
  /** Receives the error of a round; the next round tries again. */
  failed(error: unknown): void
}

/**
 * Follows the rows of the VPCs of the watched ports. Any server may change the rows, so the feed reads their versions
 * about once a second, and the rows after a change. A port that begins to be watched is read immediately.
 */
export class VpcFeed {
  readonly #parts: FeedParts
  /** The VPC of each watched port, keyed by port; undefined until the row of the port is found. */
  readonly #ports = new Map<string, string | undefined>()
  /** The revision of each VPC that was passed on, keyed by VPC. */
  readonly #revisions = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #isWanted = false
  #isStopped = false

  constructor(parts: FeedParts) {
    this.#parts = parts
  }

  watch(port: string): void {
    if (this.#ports.has(port)) return
    this.#ports.set(port, undefined)
    this.#isWanted = true
    this.#begin()
  }

  unwatch(port: string): void {
    this.#ports.delete(port)
  }

  /** Passes all rows on again, because their receiver has lost them. */
  repeat(): void {
    this.#revisions.clear()
    this.#isWanted = true
    this.#begin()
  }

  /** Ends the rounds; resolves after the current round. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#round
  }

  #begin(): void {
    if (this.#isStopped || this.#round !== undefined) return
    clearTimeout(this.#timer)
    this.#isWanted = false
    this.#round = this.#runRound()
  }

  async #runRound(): Promise<void> {
    const since = performance.now()
    await this.#readAll().catch((error: unknown) => this.#parts.failed(error))
    this.#round = undefined
    this.#schedule(performance.now() - since)
  }

  #schedule(tookMs: number): void {
    if (this.#isStopped) return
    if (this.#isWanted) return this.#begin()
    if (this.#ports.size === 0 && this.#revisions.size === 0) return
    this.#timer = setTimeout(() => this.#begin(), Math.max(everyMs, restFactor * tookMs)).unref()
  }

  async #readAll(): Promise<void> {
    const { store } = this.#parts
    for (const [port, vpc] of this.#ports) {
      const found = vpc ?? (await store.snapshot(reader => vpcOfPort(reader, port)))
      if (this.#ports.has(port)) this.#ports.set(port, found)
    }
    const wanted = new Set([...this.#ports.values()].filter(vpc => vpc !== undefined))
    for (const vpc of this.#revisions.keys()) if (!wanted.has(vpc)) this.#forget(vpc)
    for (const vpc of wanted) await this.#read(vpc)
  }

  async #read(vpc: string): Promise<void> {
    const reading = await this.#parts.store.snapshot(reader => readVpc(reader, vpc, this.#revisions.get(vpc)))
    if (this.#isStopped) return
    if (reading === undefined) {
      if (this.#revisions.has(vpc)) this.#forget(vpc)
      return
    }
    // `repeat` may have cleared the revisions during the reading: then the rows are read again.
    if (reading.rows === undefined) return
    this.#revisions.set(vpc, reading.revision)
    this.#parts.changed(reading.rows)
  }

  #forget(vpc: string): void {
    this.#revisions.delete(vpc)
    this.#parts.gone(vpc)
  }
}
