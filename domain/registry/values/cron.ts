import { Cron } from 'croner'

/** The longest schedule, in characters. */
const maxLength = 256

/** Five fields of numbers, names of months and weekdays, and the signs of lists, ranges and steps. */
const form = /^(?:(?:[\d*,/-]|[A-Za-z]{3})+(?: +|$)){5}$/

/** Returns the fault of a text that is no schedule: a cron expression of five fields in UTC that names a time at all. */
export function cronFault(text: string): string | undefined {
  const description = 'must be a cron expression of five fields, such as 0 3 * * 1-5'
  if (text.length > maxLength || !form.test(text)) return description
  try {
    return parsed(text).nextRun(new Date(0)) ? undefined : `${description}, and name a day that exists`
  } catch {
    return description
  }
}

/**
 * Returns the first time of a schedule after `afterMs`, both in milliseconds since 1970; Infinity if none comes. The text
 * has no fault.
 */
export const nextTime = (text: string, afterMs: number): number =>
  parsed(text).nextRun(new Date(afterMs))?.getTime() ?? Infinity

// By an offset, times are computed without the tables of time zones, whose first use takes tens of milliseconds.
const parsed = (text: string): Cron => new Cron(text, { mode: '5-part', utcOffset: 0, paused: true })
