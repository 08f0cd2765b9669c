import { listOf, MalformedResult } from './metrics/result-values.ts'

/** The warning for the warnings of a store, whose text may name its own hosts. */
export const incomplete = 'the engine has answered with warnings; the result may be incomplete'

/** The end of the error of an answer that must not be incomplete, as `MemberClient.unavailable` takes it. */
export const mayBeIncomplete = 'has answered with warnings; its data may be incomplete'

/** Returns the list of `warnings` in an answer. Throws MalformedResult for something else than texts. */
export const warningsIn = (warnings: unknown): readonly string[] =>
  warnings === undefined || warnings === null ? [] : listOf(warnings).map(textOf)

function textOf(warning: unknown): string {
  if (typeof warning === 'string') return warning
  throw new MalformedResult()
}
