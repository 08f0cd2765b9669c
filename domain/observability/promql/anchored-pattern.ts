import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { patternSize } from './pattern-size.ts'

/** A compiled pattern that matches whole strings. */
export interface AnchoredPattern {
  /** The only strings that match, if the pattern is an alternation of literals. */
  readonly only?: readonly string[]
  test(value: string): boolean
}

/** The largest size of a pattern (`patternSize`) that is no alternation of literals. */
export const maxPatternSize = 1000

/** The error of a pattern that is too large. */
export class PatternTooLarge extends SyntaxError {
  override readonly name = 'PatternTooLarge'

  constructor(size: number) {
    super(`a pattern may have a size of ${maxPatternSize}, not ${size}`)
  }
}

/** The compiled expressions that were used last. Each keeps up to 8 MiB of states of its automaton. */
const compiled = new LRUCache<string, RE2JS>({ max: 32 })

/**
 * Compiles a pattern of RE2 that matches whole strings, in which `.` matches line ends too, as in Prometheus 3. Throws
 * `SyntaxError` if the text is no pattern of RE2, and `PatternTooLarge`.
 */
export function anchoredPattern(text: string): AnchoredPattern {
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

/**
 * Compiles a pattern for matches of whole strings with groups. Throws `SyntaxError` if the text is no pattern of RE2, and
 * `PatternTooLarge`.
 */
export function anchoredExpression(text: string): RE2JS {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const size = patternSize(text)
  if (size > maxPatternSize) throw new PatternTooLarge(size)
  try {
    const expression = RE2JS.compile(text, RE2JS.DOTALL)
    compiled.set(text, expression)
    return expression
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Returns the size of a pattern; 0 for an alternation of literals, which needs no automaton. */
export const expressionSize = (text: string): number => (literalsOf(text) === undefined ? patternSize(text) : 0)

/** Alternatives of literal characters and escaped signs. */
const literals = /^(?:[^\\.+*?()[\]{}^$]|\\[!-/:-@[-`{-~])*$/u

/** Returns the alternatives of a pattern without any operator but `|`; undefined for other patterns. */
function literalsOf(text: string): string[] | undefined {
  const [, inner = text] = /^\((?:\?:)?(.*)\)$/su.exec(text) ?? []
  if (!literals.test(inner)) return undefined
  const alternatives = ['']
  for (const [token] of inner.matchAll(/\\?[^]/gu)) {
    if (token === '|') alternatives.push('')
    else alternatives[alternatives.length - 1] += token.slice(token.length > 1 && token.startsWith('\\') ? 1 : 0)
  }
  return alternatives
}
