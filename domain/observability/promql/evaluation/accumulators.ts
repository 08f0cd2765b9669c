import { KahanSum, Mean } from './kahan-sum.ts'
import { quantileOf } from './quantile.ts'

/** The aggregate of values that are added one after the other; at least one value is added. */
export interface Accumulator {
  add(value: number): void
  readonly value: number
}

class Sum implements Accumulator {
  // A sum from -0 on gives -0 for a single -0.
  readonly #sum = new KahanSum(-0)
  add(value: number): void {
    this.#sum.add(value)
  }
  get value(): number {
    return this.#sum.sum + this.#sum.error
  }
}

class Smallest implements Accumulator {
  value = NaN
  add(value: number): void {
    if (value < this.value || Number.isNaN(this.value)) this.value = value
  }
}

class Largest implements Accumulator {
  value = NaN
  add(value: number): void {
    if (value > this.value || Number.isNaN(this.value)) this.value = value
  }
}

class Count implements Accumulator {
  value = 0
  add(): void {
    this.value += 1
  }
}

class Group implements Accumulator {
  readonly value = 1
  add(): void {
    // The value does not depend on the elements.
  }
}

/** The population variance, by Welford's method. */
class Variance implements Accumulator {
  #count = 0
  #mean = 0
  #squares = 0

  add(value: number): void {
    this.#count += 1
    if (this.#count === 1) {
      this.#mean = value
      this.#squares = Number.isFinite(value) ? 0 : NaN
      return
    }
    const difference = value - this.#mean
    this.#mean += difference / this.#count
    this.#squares += difference * (value - this.#mean)
  }

  get value(): number {
    return this.#squares / this.#count
  }
}

class Deviation extends Variance {
  override get value(): number {
    return Math.sqrt(super.value)
  }
}

class Quantile implements Accumulator {
  readonly #values: number[] = []
  readonly #q: number
  constructor(q: number) {
    this.#q = q
  }
  add(value: number): void {
    this.#values.push(value)
  }
  get value(): number {
    return quantileOf(this.#q, Float64Array.from(this.#values))
  }
}

/** Makers of the accumulators of aggregation operators, by operator; `parameter` is the parameter of the operator. */
export const accumulators: ReadonlyMap<string, (parameter: number) => Accumulator> = new Map<
  string,
  (parameter: number) => Accumulator
>([
  ['sum', () => new Sum()],
  ['avg', () => new Mean()],
  ['min', () => new Smallest()],
  ['max', () => new Largest()],
  ['count', () => new Count()],
  ['group', () => new Group()],
  ['stdvar', () => new Variance()],
  ['stddev', () => new Deviation()],
  ['quantile', parameter => new Quantile(parameter)],
])
