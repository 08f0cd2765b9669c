import type { MatchOperatorInput, SilenceMatcherInput } from '../../../output/observability/types.ts'
import type { Labels } from '../metrics/samples.ts'
import { expressionSize } from '../promql/anchored-pattern.ts'
import { isPatternOperator, matcher, type Matcher, type MatchOperator } from '../promql/matcher.ts'

const operators: Readonly<Record<MatchOperatorInput, MatchOperator>> = {
  OBSERVABILITY_MATCH_OPERATOR_EQUAL: '=',
  OBSERVABILITY_MATCH_OPERATOR_NOT_EQUAL: '!=',
  OBSERVABILITY_MATCH_OPERATOR_REGEX: '=~',
  OBSERVABILITY_MATCH_OPERATOR_NOT_REGEX: '!~',
}

/** The operator of a matcher that names none. */
const equal = 'OBSERVABILITY_MATCH_OPERATOR_EQUAL'

/**
 * Compiles a matcher of a silence. In its patterns `.` matches no line end, as in Alertmanager. Throws `SyntaxError` if
 * the value of a pattern is no pattern of RE2, or is too large.
 */
export function silenceMatcher({ name, operator = equal, value }: SilenceMatcherInput): Matcher {
  const short = operators[operator]
  const isPattern = isPatternOperator(short)
  // The prefix would be part of an invalid pattern in the message of its error.
  if (isPattern) matcher(name, short, value)
  const hasDot = isPattern && value.includes('.') && expressionSize(value) > 0
  return matcher(name, short, hasDot ? `(?-s)${value}` : value)
}

/** The largest size of all patterns of a silence together (`patternSize`): an alert is matched within milliseconds. */
export const maxSilencePatterns = 500

/** Returns the size of the pattern of a matcher; 0 if its value is no pattern. */
export const sizeOf = ({ operator = equal, value }: SilenceMatcherInput): number =>
  isPatternOperator(operators[operator]) ? expressionSize(value) : 0

/** Returns the size of all patterns of a silence together. */
export const patternsSize = (matchers: readonly SilenceMatcherInput[]): number =>
  matchers.reduce((sum, each) => sum + sizeOf(each), 0)

/**
 * Compiles the matchers of a silence, the cheapest first. Throws `SyntaxError` if a pattern is no pattern of RE2, or if
 * the patterns together are too large.
 */
export function silenceMatchers(given: readonly SilenceMatcherInput[]): readonly Matcher[] {
  const size = patternsSize(given)
  if (size > maxSilencePatterns)
    throw new SyntaxError(`the patterns of a silence may have a size of ${maxSilencePatterns} together, not ${size}`)
  return given.map(silenceMatcher).toSorted((one, other) => costOf(one) - costOf(other))
}

const costOf = ({ only, operator }: Matcher): number => (only !== undefined || !isPatternOperator(operator) ? 0 : 1)

/** Returns whether labels fit all matchers; a label that is absent has the empty text as its value. */
export const fitsAll = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.every(({ name, test }) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''))
