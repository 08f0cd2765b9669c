import type { MatchOperatorInput, SilenceMatcherInput } from '../../../output/observability/types.ts'
import type { Labels } from '../metrics/samples.ts'
import { matcher, type Matcher, type MatchOperator } from '../promql/matcher.ts'

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
 * the value of a pattern is no pattern of RE2.
 */
export function silenceMatcher({ name, operator = equal, value }: SilenceMatcherInput): Matcher {
  const short = operators[operator]
  const isPattern = short === '=~' || short === '!~'
  // The prefix would be part of an invalid pattern in the message of its error.
  if (isPattern) matcher(name, short, value)
  return matcher(name, short, isPattern && value.includes('.') ? `(?-s)${value}` : value)
}

/** Returns whether labels fit all matchers; a label that is absent has the empty text as its value. */
export const fitsAll = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.every(({ name, test }) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''))
