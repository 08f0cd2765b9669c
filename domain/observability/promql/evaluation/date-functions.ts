const day = 86_400_000

const dayOfYear = (date: Date): number => {
  const start = Date.UTC(2000, 0, 1)
  const year = new Date(start).setUTCFullYear(date.getUTCFullYear())
  return Math.floor((date.getTime() - year) / day) + 1
}

const daysInMonth = (date: Date): number => {
  const first = new Date(date.getTime())
  first.setUTCDate(1)
  first.setUTCMonth(date.getUTCMonth() + 1, 0)
  return first.getUTCDate()
}

/** The functions of a time in UTC, by name. */
const parts: ReadonlyMap<string, (date: Date) => number> = new Map<string, (date: Date) => number>([
  ['minute', date => date.getUTCMinutes()],
  ['hour', date => date.getUTCHours()],
  ['day_of_week', date => date.getUTCDay()],
  ['day_of_month', date => date.getUTCDate()],
  ['day_of_year', dayOfYear],
  ['days_in_month', daysInMonth],
  ['month', date => date.getUTCMonth() + 1],
  ['year', date => date.getUTCFullYear()],
])

/**
 * Returns the function of seconds since 1970 with a name such as `hour`; undefined for other names. Fractions of a second
 * do not count. The result is NaN for times that have no date: NaN and times more than 275,000 years away.
 */
export function dateFunction(name: string): ((seconds: number) => number) | undefined {
  const part = parts.get(name)
  return part === undefined ? undefined : seconds => part(new Date(Math.trunc(seconds) * 1000))
}
