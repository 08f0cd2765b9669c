/**
 * Returns whether a whole text matches a glob: `*` is any run of characters, slashes included, and `?` is one character
 *. Each `*` is given back only to the last `*` before it, so the time is at most the product of both
 * lengths, whatever the pattern is.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0
  let position = 0
  /** The position after the last `*`, and the position in the text to which the `*` reaches. */
  let star = -1
  let reached = 0
  while (position < text.length) {
    const wanted = pattern[at]
    if (wanted === '*') {
      star = at += 1
      reached = position
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[position])) {
      at += 1
      position += 1
    } else {
      if (star < 0) return false
      at = star
      position = reached += 1
    }
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}

/** Returns whether a text matches one of several globs. */
export const matchesAny = (patterns: readonly string[], text: string): boolean =>
  patterns.some(pattern => matchesGlob(pattern, text))
