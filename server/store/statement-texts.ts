/** What a text is made of: two that are equal make the same one. */
export type Part = string | number | boolean | undefined

/** Filters of callers make new texts without end, and long ones. */
const maxKept = 32
const maxLength = 4000

interface Known {
  readonly parts: readonly Part[]
  readonly text: string
}

/**
 * The texts of the statements that a collection was read by lately. To compare their parts costs less than to put them
 * together, and a text that is the same object as before less than one that must be hashed to find what was prepared.
 */
export class StatementTexts {
  /** The one that was asked for last comes first. */
  readonly #known: Known[] = []

  /** The text that `make` makes of `parts`. */
  of(parts: readonly Part[], make: () => string): string {
    const at = this.#known.findIndex(known => areEqual(known.parts, parts))
    const known = this.#known[at] ?? { parts, text: make() }
    if (at !== 0 && known.text.length <= maxLength) this.#putFirst(known, at)
    return known.text
  }

  #putFirst(known: Known, from: number): void {
    if (from > 0) this.#known.splice(from, 1)
    else if (this.#known.length === maxKept) this.#known.pop()
    this.#known.unshift(known)
  }
}

function areEqual(some: readonly Part[], others: readonly Part[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false
  return true
}
