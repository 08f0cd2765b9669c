import type { LogEntry } from '../../runtime/outcome.ts'
import type { CalledOperation } from '../../runtime/context.ts'
import { rpcCodes } from '../../runtime/errors.ts'
import { Buckets, increment } from './buckets.ts'
import type { Distribution, Labels, Sample } from './samples.ts'

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

const codes: readonly string[] = ['OK', ...Object.keys(rpcCodes)]
const codeIndexes = new Map(codes.map((code, index) => [code, index]))

/** The counts of one operation. */
class Tally {
  readonly labels: Labels
  readonly counts = new Float64Array(codes.length)
  readonly buckets = new Buckets(bounds)

  constructor(area: string, operation: string) {
    this.labels = { area, operation }
  }
}

/** Counts calls by operation and code, and their durations. Calls without an operation share one series. */
export class CallMeter {
  readonly #byOperation = new Map<CalledOperation, Tally>()
  readonly #unmatched = new Tally('', 'unmatched')

  /** Counts one call, in some tens of nanoseconds. */
  record({ operation, code, milliseconds }: LogEntry): void {
    const tally = operation === undefined ? this.#unmatched : this.#tallyOf(operation)
    increment(tally.counts, codeIndexes.get(code) ?? 0)
    tally.buckets.observe(milliseconds)
  }

  /** Returns the number of calls by area, operation and code. */
  counts(): readonly Sample[] {
    return this.#tallies().flatMap(({ labels, counts }) =>
      codes.flatMap((code, index) => {
        const value = counts[index] ?? 0
        return value === 0 ? [] : [{ labels: { ...labels, code }, value }]
      }),
    )
  }

  /** Returns the durations of calls by area and operation. */
  durations(): readonly Distribution[] {
    return this.#tallies()
  }

  #tallyOf(operation: CalledOperation): Tally {
    const known = this.#byOperation.get(operation)
    if (known !== undefined) return known
    const made = new Tally(operation.area, operation.operationId)
    this.#byOperation.set(operation, made)
    return made
  }

  #tallies(): readonly Tally[] {
    return [...this.#byOperation.values(), this.#unmatched]
  }
}
