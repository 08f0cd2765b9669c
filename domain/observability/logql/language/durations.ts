import { longestDuration } from '../../promql/language/literals.ts'
import { durationOf as goDurationOf } from './quantities.ts'

const form = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/

/** Milliseconds of the units of the form, in its order. */
const units = [31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1] as const

/**
 * Returns the milliseconds of a duration in the form of Prometheus, such as `1d12h`; undefined for other texts and above
 * 292 years.
 */
export function millisecondsOf(text: string): number | undefined {
  const counts = form.exec(text)
  if (counts === null || text === '') return undefined
  const total = units.reduce((sum, unit, index) => sum + unit * Number(counts[index + 1] ?? 0), 0)
  return total > longestDuration ? undefined : total
}

/** Returns the nanoseconds of a duration in the form of Prometheus or of Go, such as `-1.5s`; undefined for other texts. */
export function nanosecondsOf(text: string): number | undefined {
  const milliseconds = millisecondsOf(text.replace(/^-/, ''))
  if (milliseconds === undefined) return goDurationOf(text)
  return text.startsWith('-') ? -milliseconds * 1e6 : milliseconds * 1e6
}
