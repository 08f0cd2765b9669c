/** A part of a statement's text: equal parts make equal texts. */
export type TextPart = string | number | boolean | undefined

/**
 * The maximal number of cached texts, and the maximal length of a cached text in characters. Filters of callers make an
 * unlimited number of texts, and long texts.
 */
const maxKept = 32
const maxLength = 4000

interface Known {
  readonly parts: readonly TextPart[]
  readonly text: string
}

/**
 * Caches the texts of the last statements of a collection. Comparing their parts is cheaper than assembling them, and a
 * text that is the same object is found among the prepared statements without hashing.
 */
export class StatementTexts {
  /** The texts, the most recent first. */
  readonly #known: Known[] = []

  /** Returns the text that `make` makes from `parts`. */
  of(parts: readonly TextPart[], make: () => string): string {
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

function areEqual(some: readonly TextPart[], others: readonly TextPart[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false
  return true
}
