import type { LatencyQuantiles } from '../../../output/observability/types.ts'
import { durationOf, type TraceSpan } from './span.ts'

/** The durations and errors of calls. */
export class Calls {
  readonly #nanos: number[] = []
  #errors = 0

  get count(): number {
    return this.#nanos.length
  }

  get errors(): number {
    return this.#errors
  }

  /** Adds a call that a span has recorded. */
  add(span: TraceSpan): void {
    this.#nanos.push(Number(durationOf(span)))
    if (span.status === 'ERROR') this.#errors += 1
  }

  /** Returns the durations in milliseconds that the given parts of the calls took at most; 0 without a call. */
  quantiles(): LatencyQuantiles {
    const sorted = Float64Array.from(this.#nanos).sort()
    const at = (part: number): number => (sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0) / 1e6
    return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) }
  }
}
