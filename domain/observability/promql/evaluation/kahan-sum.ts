/** A sum of floating-point numbers with the error of its additions (Neumaier's variant of Kahan's summation). */
export class KahanSum {
  sum: number
  error: number

  constructor(sum = 0, error = 0) {
    this.sum = sum
    this.error = error
  }

  add(value: number): void {
    const total = this.sum + value
    if (total === Infinity || total === -Infinity) this.error = 0
    else if (Math.abs(this.sum) >= Math.abs(value)) this.error += this.sum - total + value
    else this.error += value - total + this.sum
    this.sum = total
  }

  get total(): number {
    return this.sum === Infinity || this.sum === -Infinity ? this.sum : this.sum + this.error
  }
}

/**
 * The mean of numbers. It divides their sum, or follows the mean from number to number once the sum would overflow.
 */
export class Mean {
  readonly #sum = new KahanSum()
  #count = 0
  #isIncremental = false

  add(value: number): void {
    const { sum, error } = this.#sum
    this.#count += 1
    if (!this.#isIncremental) {
      if (this.#count === 1) this.#set(value, 0)
      else this.#sum.add(value)
      if (this.#count === 1 || Math.abs(this.#sum.sum) !== Infinity) return
      this.#isIncremental = true
      this.#set(sum / (this.#count - 1), error / (this.#count - 1))
    }
    const share = (this.#count - 1) / this.#count
    this.#set(share * this.#sum.sum, share * this.#sum.error)
    this.#sum.add(value / this.#count)
  }

  get value(): number {
    const { sum, error } = this.#sum
    return this.#isIncremental ? sum + error : sum / this.#count + error / this.#count
  }

  #set(sum: number, error: number): void {
    this.#sum.sum = sum
    this.#sum.error = error
  }
}
