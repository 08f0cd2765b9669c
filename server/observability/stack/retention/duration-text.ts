import { durationUnits } from '../../../../domain/observability/duration-units.ts'
import { MalformedResult } from '../metrics/result-values.ts'

const dayNanos = 24 * 3600e9

/** Nanoseconds of the units of durations, as Prometheus, Loki and Mimir write them; Go's units among them. */
const units: Readonly<Record<string, number>> = {
  ...durationUnits,
  d: dayNanos,
  w: 7 * dayNanos,
  y: 365 * dayNanos,
}

/** Nanoseconds of the units of flags of VictoriaMetrics; a number without a unit counts months. */
const flagUnits: Readonly<Record<string, number>> = { ...units, M: 31 * dayNanos, '': 31 * dayNanos }

/** The longest duration in milliseconds, 10,000 years: a longer one has no text in an answer. */
const maxMs = 10_000 * 365 * 86_400_000

const whole = /^(?:\d{1,15}(?:\.\d{1,9})?[a-zµμ]{1,2})+$/
const parts = /(\d+(?:\.\d+)?)([a-zµμ]+)/g

/** Returns the milliseconds of a duration such as `1d12h` or `336h0m0s`, rounded down. Throws MalformedResult for others. */
export function durationTextMs(text: unknown): number {
  if (typeof text !== 'string' || text.length > 80) throw new MalformedResult()
  if (text === '0') return 0
  if (!whole.test(text)) throw new MalformedResult()
  return millis(text.matchAll(parts), units)
}

/** Returns the milliseconds of the value of a flag of VictoriaMetrics, such as `45d`, `1.5y` or `3`. Throws as `durationTextMs`. */
export function flagDurationMs(text: string): number {
  const found = /^(\d{1,15}(?:\.\d{1,9})?)(M|)$/.exec(text)
  return found ? millis([found], flagUnits) : durationTextMs(text)
}

/** Returns a retention for which 0 means that nothing is deleted: Infinity for 0. Throws as `durationTextMs`. */
export const endlessMs = (text: unknown): number => durationTextMs(text) || Infinity

function millis(found: Iterable<RegExpExecArray>, known: Readonly<Record<string, number>>): number {
  let nanos = 0
  for (const [, count, unit = ''] of found) nanos += Number(count) * (known[unit] ?? Number.NaN)
  const ms = Math.floor(nanos / 1e6)
  if (ms <= maxMs) return ms
  throw new MalformedResult()
}
