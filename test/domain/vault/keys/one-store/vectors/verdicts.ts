import { expect } from 'vitest'

/** Counts the verdicts of a kind of vectors, and collects the vectors that were judged wrong. */
export class Verdicts {
  readonly #kind: string
  readonly #wrong: string[] = []
  #accepted = 0
  #refused = 0

  constructor(kind: string) {
    this.#kind = kind
  }

  /** Judges a vector; `label` names the vector if the verdict is wrong. */
  add(label: string, wanted: boolean, accepted: boolean): void {
    if (wanted !== accepted) this.#wrong.push(`${label}: ${accepted ? 'accepted' : 'refused'}`)
    if (accepted) this.#accepted += 1
    else this.#refused += 1
  }

  /** Prints the numbers, and expects them: a vector that is not read must not be missed in silence. */
  end(accepted: number, refused: number): void {
    console.log(`vectors of ${this.#kind}: ${this.#accepted} accepted, ${this.#refused} refused`)
    expect(this.#wrong).toEqual([])
    expect({ accepted: this.#accepted, refused: this.#refused }).toEqual({ accepted, refused })
  }
}
