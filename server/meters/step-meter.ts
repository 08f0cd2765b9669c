import { Buckets } from './buckets.ts'
import { samplesBy, type Distribution, type Sample } from './samples.ts'

const bounds = [0.001, 0.01, 0.1, 1, 10, 60, 600] as const

/** The result of a run of a step; `lost` means that the work belongs to another process by now. */
export type StepEnd = 'done' | 'again' | 'retry' | 'failed' | 'release' | 'lost'

interface Tally {
  readonly ends: Map<string, number>
  readonly buckets: Buckets
}

/**
 * Counts the steps of durable work by procedure and result, and their durations. The procedures are declared, so they
 * are few.
 */
export class StepMeter {
  readonly #byKind = new Map<string, Tally>()

  record(kind: string, end: StepEnd, milliseconds: number): void {
    const { ends, buckets } = this.#tallyOf(kind)
    ends.set(end, (ends.get(end) ?? 0) + 1)
    buckets.observe(milliseconds)
  }

  counts(): readonly Sample[] {
    return [...this.#byKind].flatMap(([kind, { ends }]) =>
      samplesBy('outcome', ends).map(({ labels, value }) => ({ labels: { kind, ...labels }, value })),
    )
  }

  durations(): readonly Distribution[] {
    return [...this.#byKind].map(([kind, { buckets }]) => ({ labels: { kind }, buckets }))
  }

  #tallyOf(kind: string): Tally {
    const known = this.#byKind.get(kind)
    if (known !== undefined) return known
    const made = { ends: new Map<string, number>(), buckets: new Buckets(bounds) }
    this.#byKind.set(kind, made)
    return made
  }
}
