import { type Message, messages } from '../diagnostics.ts'
import { expressionOf, foreignPart } from '../pattern.ts'

/** The maximal length of a pattern in characters. A longer pattern may take unbounded time to compile or match. */
const maxPatternLength = 2000

/**
 * Returns the message about a pattern that is no regular expression or needs care; undefined without a fault. With
 * `isLeftOut`, a pattern of another dialect is not checked; without, it counts as one of JavaScript.
 */
export function patternFault(pattern: string | undefined, { isLeftOut = false } = {}): Message | undefined {
  if (pattern === undefined) return undefined
  if (pattern.length > maxPatternLength) return messages.patternTooLong(maxPatternLength)
  const foreign = isLeftOut ? foreignPart(pattern) : undefined
  if (foreign !== undefined) return messages.patternForeign(foreign)
  const expression = expressionOf(pattern)
  if (!expression) return messages.patternInvalid(pattern)
  return expression.unicode ? undefined : messages.patternNotUnicode(pattern)
}
