import { quoted } from '../../runtime/refusal.ts'
import { emptyFault } from './text-faults.ts'
import { inCode, Setting, type SettingForm } from './setting.ts'

/** The longest duration where no bound is set, in milliseconds: timers of Node.js overflow at 2^31. */
const longestMs = 999_999_000

/** A text, number or boolean as text, undefined for anything else: a file holds all three, a variable holds texts. */
export const plainText = (given: unknown): string | undefined =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? String(given) : undefined

/** Makes the form of a text value. `parse` returns undefined for a text that breaks the rule; `rule` is the fault. */
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
 * Makes the form of a text. `fault` returns the fault of a text, as the continuation of the setting's name, and should
 * not quote the text. Absent: an empty text is a fault.
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

/** Rules of a text. */
export interface TextOptions {
  readonly fault?: (value: string) => string | undefined
}

/** Bounds of a number, both included. `rule` words the fault of a value outside them; absent: it names the bounds. */
export interface NumberOptions {
  readonly min: number
  readonly max: number
  readonly rule?: string
}

/** A whole number, at most 15 digits. */
export function integer({ max, min, rule }: NumberOptions): Setting<number, 'required'> {
  return scalar(rule ?? `must be a whole number, ${min} to ${max}`, value =>
    /^-?\d{1,15}$/.test(value) ? within(Number(value), min, max) : undefined,
  )
}

/** A number with or without decimals, without an exponent. */
export function number({ max, min, rule }: NumberOptions): Setting<number, 'required'> {
  return scalar(rule ?? `must be a number, ${min} to ${max}`, value =>
    /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? within(Number(value), min, max) : undefined,
  )
}

/** `true` or `false`. */
export const flag = (): Setting<boolean, 'required'> => scalar('must be true or false', value => flags.get(value))

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Bounds of a duration in milliseconds, both included. */
export interface DurationOptions {
  /** Absent: any duration above zero. */
  readonly min?: number
  /** Absent: 999999 s. */
  readonly max?: number
}

/** Milliseconds, written as seconds with at most three decimals: "15s", "0.5s". */
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

/** One of the texts `values`. A fault shows the value that was given. */
export function oneOf<const Value extends string>(values: readonly Value[]): Setting<Value, 'required'> {
  const rule = `must be ${alternatives(values)}`
  return scalar(
    given => (given === undefined ? rule : `${rule}, not ${quoted(given)}`),
    given => values.find(value => value === given),
  )
}

const alternatives = (values: readonly string[]): string =>
  [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(part => part !== '').join(' or ')
