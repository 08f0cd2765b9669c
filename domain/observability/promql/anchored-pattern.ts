import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/** A compiled pattern that matches whole strings. */
export interface AnchoredPattern {
  /** The only strings that match, if the pattern is an alternation of literals. */
  readonly only?: readonly string[]
  test(value: string): boolean
}

const compiled = new LRUCache<string, AnchoredPattern>({ max: 1000 })

/**
 * Compiles a pattern of RE2 that matches whole strings, in which `.` matches line ends too, as in Prometheus 3. Throws
 * `SyntaxError` if the text is no pattern of RE2.
 */
export function anchoredPattern(text: string): AnchoredPattern {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const pattern = compile(text)
  compiled.set(text, pattern)
  return pattern
}

function compile(text: string): AnchoredPattern {
  if (text === '.*') return { test: () => true }
  if (text === '.+') return { test: value => value !== '' }
  const only = literalsOf(text)
  if (only !== undefined) {
    const values = new Set(only)
    return { only: [...values], test: value => values.has(value) }
  }
  const expression = anchoredExpression(text)
  return { test: value => expression.matches(value) }
}

/** Compiles a pattern for matches of whole strings with groups. Throws `SyntaxError` if the text is no pattern of RE2. */
export function anchoredExpression(text: string): RE2JS {
  try {
    return RE2JS.compile(text, RE2JS.DOTALL)
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Returns the alternatives of a pattern without any operator but `|`; undefined for other patterns. */
const literalsOf = (text: string): string[] | undefined =>
  /^[^\\.+*?()[\]{}^$]*$/.test(text) ? text.split('|') : undefined
