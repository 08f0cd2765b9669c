import { flagDurationMs } from './duration-text.ts'
import type { MemberTexts } from './member-texts.ts'

/** A line of the flags that an operator has set. */
const setFlag = /^-[A-Za-z][\w.]*="/

/**
 * Returns the retention of VictoriaMetrics in milliseconds; undefined for a member that does not tell. `/flags` has the
 * flags that are set, and `/metrics` also those that have their defaults.
 */
export async function victoriaRetention(pages: MemberTexts): Promise<number | undefined> {
  const flags = await pages.at('/flags')
  if (flags === undefined || !setFlag.test(flags)) return undefined
  const set = /^-retentionPeriod="([^"\n]{1,80})"$/m.exec(flags)
  const found =
    set ?? /^flag\{name="retentionPeriod", ?value="([^"\n]{1,80})"/m.exec((await pages.at('/metrics')) ?? '')
  return found?.[1] === undefined ? undefined : flagDurationMs(found[1])
}
