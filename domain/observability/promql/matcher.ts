import { anchoredPattern } from './anchored-pattern.ts'

/** The operators of matchers: equal, not equal, and anchored RE2 patterns that match or do not match. */
export type MatchOperator = '=' | '!=' | '=~' | '!~'

/** Whether the value of a matcher is a pattern. */
export const isPatternOperator = (operator: MatchOperator): boolean => operator === '=~' || operator === '!~'

/** A condition on the value of a label. A series without the label has the empty string as its value. */
export interface Matcher {
  readonly name: string
  readonly operator: MatchOperator
  readonly value: string
  /**
   * The only values that can fit, for `=` and for patterns that are an alternation of literals; absent if other values
   * can fit. An index can look these values up instead of testing all values of the label.
   */
  readonly only?: readonly string[]
  /** Whether a value of the label fits. */
  test(value: string): boolean
}

/** Compiles a matcher. Throws `SyntaxError` if the value of `=~` or `!~` is no pattern of RE2, and `PatternTooLarge`. */
export function matcher(name: string, operator: MatchOperator, value: string): Matcher {
  if (operator === '=') return { name, operator, value, only: [value], test: other => other === value }
  if (operator === '!=') return { name, operator, value, test: other => other !== value }
  const pattern = anchoredPattern(value)
  if (operator === '!~') return { name, operator, value, test: other => !pattern.test(other) }
  const { only } = pattern
  return { name, operator, value, ...(only !== undefined && { only }), test: other => pattern.test(other) }
}
