import { silenceMatchesAll, silenceTimeInvalid } from '../../../output/observability/errors.ts'
import type { ParsedSilence, SilenceInput, SilenceMatcherInput } from '../../../output/observability/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { maxSilencePatterns, silenceMatcher, sizeOf } from '../silences/silence-matchers.ts'

/** The longest time in milliseconds from the start of a silence to its end: 366 days. */
const longestMs = 366 * 86_400_000

/** The rules for the bodies of silences beyond their schemas (step 5). */
export const silenceForm: readonly FormRule[] = [
  rulesOf<SilenceInput>()(['matchers'], function* ({ matchers }) {
    let size = 0
    for (const [i, given] of matchers.entries()) {
      size += sizeOf(given)
      // Patterns beyond the limit are not compiled.
      const fault = size <= maxSilencePatterns ? patternFault(given) : undefined
      if (fault !== undefined) yield { field: `matchers[${i}].value`, description: fault }
    }
    if (size <= maxSilencePatterns) return
    const description = `may have patterns of a size of ${maxSilencePatterns} together, not ${size}`
    yield { field: 'matchers', description }
  }),
]

function patternFault(given: SilenceMatcherInput): string | undefined {
  try {
    silenceMatcher(given)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a regular expression of RE2: ${error.message.slice(0, 80)}`
    throw error
  }
}

/**
 * Checks what the form of a silence alone decides. Throws SILENCE_MATCHES_ALL if all matchers pass the empty text, and
 * SILENCE_TIME_INVALID if the silence ends before it starts.
 */
export function requireForm({ end_time, matchers, start_time }: ParsedSilence): void {
  if (matchers.every(given => silenceMatcher(given).test('')))
    throw faultAt(
      silenceMatchesAll,
      'matchers',
      'at least one matcher must not match the empty text; otherwise alerts without these labels are silenced too',
    )
  if (start_time !== undefined && Date.parse(end_time) <= Date.parse(start_time))
    throw faultAt(silenceTimeInvalid, 'end_time', `must be after start_time, ${start_time}`)
}

/** Returns the start of a silence that is created at `now`: a past start counts as now. Both are in ms since 1970. */
export const startOf = ({ start_time }: Pick<ParsedSilence, 'start_time'>, now: number): number =>
  Math.max(now, start_time === undefined ? now : Date.parse(start_time))

/**
 * Throws SILENCE_TIME_INVALID if a silence that is created at `now`, in milliseconds since 1970, would have ended
 * already, or would last longer than 366 days.
 */
export function requireTimes(silence: Pick<ParsedSilence, 'end_time' | 'start_time'>, now: number): void {
  const [start, end] = [startOf(silence, now), Date.parse(silence.end_time)]
  if (end <= now) throw faultAt(silenceTimeInvalid, 'end_time', `must be after ${formatMillis(now)}`)
  if (end - start > longestMs)
    throw faultAt(silenceTimeInvalid, 'end_time', `must be at most 366 days after the start, ${formatMillis(start)}`)
}
