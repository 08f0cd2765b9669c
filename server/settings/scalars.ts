import { quoted } from '../../runtime/refusal.ts'
import { emptyFault } from './text-faults.ts'
import { inCode, Setting, type SettingForm } from './setting.ts'

/** The maximal duration if no bound is set, in milliseconds: timers of Node.js overflow at 2^31. */
const longestMs = 999_999_000

/**
 * Returns a text, number or boolean as text; undefined for another value. A file holds all three types, an environment
 * variable holds texts.
 */
export const plainText = (given: unknown): string | undefined =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? String(given) : undefined

/**
 * Returns the setting of a value that is written as text. `parse` returns undefined for a text that breaks the rule;
 * `rule` is the fault.
 */
function scalar<T>(
  rule: string | ((given: string | undefined) => string),
  parse: (text: string) => T | undefined,
  show: (value: T) => string = value => inCode(String(value)),
): Setting<T, 'required'> {
  const form: SettingForm<T> = {
    notation: 'text',
    read(given, place, faults) {
      const text = plainText(given)
      const value = text === undefined ? undefined : parse(text)
      return value ?? faults.add(place, typeof rule === 'string' ? rule : rule(text))
    },
    show,
  }
  return new Setting(form, 'required')
}

/**
 * Returns the setting of a text. `fault` returns the fault of a text, as the continuation of the setting's name, and
 * should not quote the text. Absent: an empty text is a fault.
 */
export function text({ fault = emptyFault }: TextOptions = {}): Setting<string, 'required'> {
  const rule = (given: string | undefined): string =>
    (given === undefined ? undefined : fault(given)) ?? 'must be a text or a number'
  return scalar(
    rule,
    value => (fault(value) === undefined ? value : undefined),
    value => (value === '' ? 'empty' : inCode(value)),
  )
}

/** The rules of a text. */
export interface TextOptions {
  readonly fault?: (value: string) => string | undefined
}

/**
 * The bounds of a number, both included. `rule` is the fault of a value that is no number within the bounds; absent:
 * the fault names the bounds.
 */
export interface NumberOptions {
  readonly min: number
  readonly max: number
  readonly rule?: string
}

/** Returns the setting of a whole number of at most 15 digits. */
export function integer({ max, min, rule }: NumberOptions): Setting<number, 'required'> {
  return scalar(rule ?? `must be a whole number, ${min} to ${max}`, value =>
    /^-?\d{1,15}$/.test(value) ? within(Number(value), min, max) : undefined,
  )
}

/** Returns the setting of a number with or without decimals, without an exponent. */
export function number({ max, min, rule }: NumberOptions): Setting<number, 'required'> {
  return scalar(rule ?? `must be a number, ${min} to ${max}`, value =>
    /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? within(Number(value), min, max) : undefined,
  )
}

/** Returns the setting of a boolean, which is written as `true` or `false`. */
export const flag = (): Setting<boolean, 'required'> => scalar('must be true or false', value => flags.get(value))

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** The bounds of a duration in milliseconds, both included. */
export interface DurationOptions {
  /** The minimal duration; absent: 1 ms. */
  readonly min?: number
  /** The maximal duration; absent: 999,999 s. */
  readonly max?: number
}

/**
 * Returns the setting of a duration in milliseconds, which is written as seconds with at most three decimals: "15s",
 * "0.5s".
 */
export function duration(bounds: DurationOptions = {}): Setting<number, 'required'> {
  const { max = longestMs, min = 1 } = bounds
  const hasBounds = bounds.min !== undefined || bounds.max !== undefined
  const form = 'must be a duration such as "15s" or "0.5s"'
  return scalar(
    hasBounds ? `${form}, "${seconds(min)}" to "${seconds(max)}"` : form,
    value => (/^\d{1,9}(?:\.\d{1,3})?s$/.test(value) ? within(milliseconds(value), min, max) : undefined),
    value => inCode(seconds(value)),
  )
}

const milliseconds = (written: string): number => Math.round(Number(written.slice(0, -1)) * 1000)

const seconds = (ms: number): string => `${ms / 1000}s`

const within = (value: number, min: number, max: number): number | undefined =>
  value >= min && value <= max ? value : undefined

/** Returns the setting of a text that is one of `values`. A fault shows the given value. */
export function oneOf<const Value extends string>(values: readonly Value[]): Setting<Value, 'required'> {
  const rule = `must be ${alternatives(values)}`
  return scalar(
    given => (given === undefined ? rule : `${rule}, not ${quoted(given)}`),
    given => values.find(value => value === given),
  )
}

const alternatives = (values: readonly string[]): string =>
  [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(part => part !== '').join(' or ')
