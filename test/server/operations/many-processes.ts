import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Event } from './many-worker.ts'

const program = fileURLToPath(new URL('./many-worker.ts', import.meta.url))

/** A time interval, in milliseconds since 1970. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** A worker process with its reports; several of these processes share a store, and a test stops and kills them. */
export class ManyProcess {
  readonly events: Event[] = []
  /** The times at which the process began a run of the periodic worker. */
  readonly turns: number[] = []
  /** A promise that is fulfilled once the process has started to work. */
  readonly ready: Promise<void>
  readonly #child: ChildProcess
  readonly #halts: number[] = []

  constructor(place: string, leaseMs: number, skewMs = 0) {
    const args = [program, place, String(leaseMs), String(skewMs)]
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    if (this.#child.stdout === null) throw new Error('the process has no output')
    const ready = Promise.withResolvers<void>()
    this.ready = ready.promise
    createInterface({ input: this.#child.stdout }).on('line', line => {
      const told: Event | { readonly turn: number } | { readonly isReady: true } = JSON.parse(line)
      if ('isReady' in told) ready.resolve()
      else if ('turn' in told) this.turns.push(told.turn)
      else this.events.push(told)
    })
  }

  /** Stops the process with SIGSTOP, until `resume`. */
  halt(): void {
    this.#child.kill('SIGSTOP')
    this.#halts.push(Date.now())
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    this.#halts.push(Date.now())
    await exited
  }

  /** Returns the steps that the process has entered and not left. */
  open(): readonly string[] {
    const open = new Set<string>()
    for (const { event, step } of this.events) {
      if (event === 'enter') open.add(step)
      else open.delete(step)
    }
    return [...open]
  }

  /**
   * Returns the intervals in which this process ran each step, keyed by step. A step in progress at a stop counts until
   * the stop, because later writes of the process are void.
   */
  intervals(): ReadonlyMap<string, readonly Interval[]> {
    const found = new Map<string, Interval[]>()
    const open = new Map<string, number>()
    const close = (step: string, to: number): void => {
      const from = open.get(step)
      if (from === undefined) return
      open.delete(step)
      const halt = this.#halts.find(time => time >= from && time <= to)
      found.set(step, [...(found.get(step) ?? []), { from, to: halt ?? to }])
    }
    for (const { event, step, time } of this.events) {
      if (event === 'enter') open.set(step, time)
      else close(step, time)
    }
    for (const step of open.keys()) close(step, Infinity)
    return found
  }
}

/** Returns the steps that ran in two processes at the same time. */
export function overlaps(processes: readonly ManyProcess[]): readonly string[] {
  const all = new Map<string, Interval[]>()
  for (const process of processes) {
    for (const [step, runs] of process.intervals()) all.set(step, [...(all.get(step) ?? []), ...runs])
  }
  return [...all].flatMap(([step, runs]) => {
    const sorted = runs.toSorted((a, b) => a.from - b.from)
    return sorted.some(({ to }, i) => (sorted[i + 1]?.from ?? Infinity) < to) ? [step] : []
  })
}
