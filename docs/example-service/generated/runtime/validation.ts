// Copied by ninefold. Do not edit: generate writes it again.

/** The maximal number of faults of one request, so that an answer stays small whatever was sent. */
const maxFaults = 100

/** The maximal depth of values whose schemas contain themselves. */
const maxDepth = 64

/** The maximal number of enum values in a fault. */
const maxNamedValues = 12

/**
 * Returns true if `value` is valid, otherwise adds its faults to `faults` and returns false. The generator makes such a
 * check for each schema.
 */
export type Check = (value: unknown, faults: Faults) => boolean

/** The checks of a tagged union, keyed by the values of its discriminator. */
type Forms = Readonly<Record<string, Check>>

/** A fault in the form of `FieldViolation`; its path is completed from the inside out. */
interface Fault {
  field: string
  readonly description: string
}

/**
 * Collects the faults of a value in one pass. A check names fields relative to its own value, and `nested` adds the
 * path of the member afterwards, so that a valid value costs no string.
 */
export class Faults {
  readonly list: Fault[] = []
  /** Whether unknown members and unknown enum values are allowed, for checks of answers in clients. */
  readonly open: boolean
  /** The number of faults, also beyond the first hundred. */
  count = 0
  depth = 0

  constructor(open = false) {
    this.open = open
  }

  /** Whether the list of faults is full, so that further checks add nothing to the answer. */
  get isFull(): boolean {
    return this.list.length >= maxFaults
  }

  /** Adds a fault. Always returns false, so that a check can `return faults.add(...)`. */
  add(field: string, description: string): false {
    this.count += 1
    if (this.list.length < maxFaults) this.list.push({ field, description })
    return false
  }

  /**
   * Adds the fault of a value. An undefined value is a missing required member, because checks of required members get
   * undefined.
   */
  refuse(value: unknown, field: string, description: string): false {
    return this.add(field, value === undefined ? 'is required' : description)
  }
}

/** Whether a value is a JSON object: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the own member `name` of `value`, or undefined. Inherited members, such as `constructor`, do not count. */
export function own<T extends object, K extends keyof T>(value: T, name: K): T[K] | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** Whether a required member is present, for members of any type; other checks test this themselves. */
export function required(value: unknown, field: string, faults: Faults): boolean {
  return value !== undefined || faults.add(field, 'is required')
}

/** Adds a fault for each undeclared member of a closed object; fastest if the object has the order of `members`. */
export function closed(value: Record<string, unknown>, faults: Faults, members: readonly string[]): void {
  if (faults.open) return
  let next = 0
  for (const name in value) {
    next = name === members[next] ? next + 1 : members.indexOf(name) + 1
    if (next === 0) faults.add(path(name), 'is not a known field')
    if (faults.list.length === maxFaults) return
  }
}

/** Checks text of any length. */
export function anyText(value: unknown, field: string, faults: Faults): value is string {
  return typeof value === 'string' || faults.refuse(value, field, 'must be a string')
}

/** Checks text of `min` to `max` Unicode characters that matches a pattern of the document. */
export function text(value: unknown, field: string, faults: Faults, min = 0, max = Infinity, regex?: RegExp): boolean {
  if (!anyText(value, field, faults)) return false
  // A character outside of the first plane is two UTF-16 units, which matters only near a bound.
  const isSure = value.length <= max && value.length >= 2 * min
  return (isSure || countedText(value, field, faults, min, max)) && matches(value, field, faults, regex)
}

function countedText(value: string, field: string, faults: Faults, min: number, max: number): boolean {
  const count = value.length > 2 * max ? value.length : [...value].length
  return counted(count, field, faults, min, max, 'character')
}

/** Checks a number of items or characters between `min` and `max`. */
function counted(count: number, field: string, faults: Faults, min: number, max: number, what: string): boolean {
  if (count < min) return faults.add(field, min === 1 ? 'must not be empty' : `must have at least ${min} ${what}s`)
  return count <= max || faults.add(field, `must have at most ${max} ${what}${max === 1 ? '' : 's'}`)
}

/** Checks that a value is text and matches `regex`, a pattern of the document, if the pattern is given. */
export function matches(value: unknown, field: string, faults: Faults, regex?: RegExp): value is string {
  if (!anyText(value, field, faults)) return false
  return !regex || regex.test(value) || faults.add(field, `must match ${cut(regex.source)}`)
}

/**
 * Checks that a value is text in a format of formats.ts, and matches `regex`, a pattern of the document, if the pattern
 * is given.
 */
export function formatted(
  value: unknown,
  field: string,
  faults: Faults,
  isFormat: (text: string) => boolean,
  name: string,
  regex?: RegExp,
): boolean {
  if (!anyText(value, field, faults)) return false
  if (isFormat(value)) return matches(value, field, faults, regex)
  return faults.add(field, `must be a valid ${name === 'byte' ? 'base64 text, with its padding' : name}`)
}

/** Checks a finite number between two bounds, both included. */
export function number(value: unknown, field: string, faults: Faults, min?: number, max?: number): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return faults.refuse(value, field, 'must be a number')
  return within(value, field, faults, min, max)
}

/**
 * Checks a whole number between two bounds, both included. A number beyond 2^53 may stand for other integers too, so
 * that it counts as no integer.
 */
export function integer(value: unknown, field: string, faults: Faults, min?: number, max?: number): value is number {
  if (!Number.isSafeInteger(value)) return faults.refuse(value, field, 'must be an integer')
  return within(Number(value), field, faults, min, max)
}

/** Checks an integer of the format `int64`, whose values beyond 2^53 have a description of their own. */
export function int64(value: unknown, field: string, faults: Faults, min?: number, max?: number): value is number {
  const most = Number.MAX_SAFE_INTEGER
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return integer(value, field, faults, min, max)
  return faults.add(field, `must be between -${most} and ${most}`)
}

function within(value: number, field: string, faults: Faults, min = -Infinity, max = Infinity): boolean {
  if (value < min) return faults.add(field, `must be at least ${min}`)
  return value <= max || faults.add(field, `must be at most ${max}`)
}

/** Checks a number strictly above `min` and below `max`. */
export function between(value: number, field: string, faults: Faults, min: number, max: number): boolean {
  if (value <= min) return faults.add(field, `must be greater than ${min}`)
  return value < max || faults.add(field, `must be less than ${max}`)
}

/** Checks a multiple of `step` by decimal value: 0.3 is a multiple of 0.1. */
export function multiple(value: number, field: string, faults: Faults, step: number): boolean {
  const times = value / step
  const isWhole = Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.abs(times)
  return isWhole || faults.add(field, `must be a multiple of ${step}`)
}

/** Checks a boolean. */
export function boolean(value: unknown, field: string, faults: Faults): value is boolean {
  return typeof value === 'boolean' || faults.refuse(value, field, 'must be true or false')
}

/** Checks a value of an enum; in open answers any other text passes too. */
export function choice(value: unknown, field: string, faults: Faults, values: ReadonlySet<unknown>): boolean {
  if (values.has(value)) return true
  if (faults.open && typeof value === 'string') return true
  const named = [...values].slice(0, maxNamedValues)
  const more = values.size > named.length ? ` or one of ${values.size - named.length} more values` : ''
  return faults.refuse(value, field, `must be ${named.length === 1 ? '' : 'one of '}${named.join(', ')}${more}`)
}

/** Checks a member by another check, whose faults are then below `field`. */
export function nested(value: unknown, field: string, faults: Faults, check: Check): boolean {
  if (value === undefined) return faults.add(field, 'is required')
  const before = faults.list.length
  return check(value, faults) || prefix(faults, before, field)
}

/** Checks a nested value of a schema that contains itself. */
export function recursive(value: unknown, field: string, faults: Faults, check: Check): boolean {
  if (faults.depth >= maxDepth) return faults.add(field, `must not be nested deeper than ${maxDepth} levels`)
  faults.depth += 1
  const fits = nested(value, field, faults, check)
  faults.depth -= 1
  return fits
}

/** Checks a list of `min` to `max` items, each by `check`. */
export function list(
  value: unknown,
  field: string,
  faults: Faults,
  check: Check,
  min = 0,
  max = Infinity,
): value is unknown[] {
  if (!Array.isArray(value)) return faults.refuse(value, field, 'must be a list')
  if (!counted(value.length, field, faults, min, max, 'item')) return false
  const count = faults.count
  for (let i = 0; i < value.length && faults.count - count < maxFaults; i += 1) {
    const before = faults.list.length
    if (!check(value[i], faults)) prefix(faults, before, `${field}[${i}]`)
  }
  return faults.count === count
}

/** Checks a file of a form, of `min` to `max` bytes. */
export function file(value: unknown, field: string, faults: Faults, min = 0, max = Infinity): value is Blob {
  if (!(value instanceof Blob)) return faults.refuse(value, field, 'must be a file')
  return counted(value.size, field, faults, min, max, 'byte')
}

/** Checks a list for equal items; objects are equal whatever the order of their members. */
export function unique(value: readonly unknown[], field: string, faults: Faults): boolean {
  const seen = new Set<unknown>()
  for (const [i, item] of value.entries()) {
    const key = typeof item === 'object' && item !== null ? canonical(item) : `${typeof item} ${String(item)}`
    if (seen.has(key)) return faults.add(`${field}[${i}]`, 'must not repeat an earlier item')
    seen.add(key)
  }
  return true
}

/** Checks the members of an object that are not in `named`: their values by `check`, their names by `keys`. */
export function entries(
  value: Record<string, unknown>,
  faults: Faults,
  check: Check | undefined,
  named?: readonly string[],
  keys?: RegExp,
): void {
  const count = faults.count
  for (const name in value) {
    if (faults.count - count >= maxFaults) return
    if (named?.includes(name)) continue
    const before = faults.list.length
    if (keys && !keys.test(name)) faults.add(path(name), `must have a name that matches ${cut(keys.source)}`)
    else if (check && !check(value[name], faults)) prefix(faults, before, path(name))
  }
}

/** Checks an object of `min` to `max` members. */
export function size(value: Record<string, unknown>, faults: Faults, min: number, max: number): boolean {
  return counted(Object.keys(value).length, '', faults, min, max, 'member')
}

/** Checks a value against several checks: exactly one (`oneOf`) or at least one (`anyOf`) must accept it. */
export function union(value: unknown, field: string, faults: Faults, all: readonly Check[], isOneOf: boolean): boolean {
  if (value === undefined) return faults.add(field, 'is required')
  let fitting = 0
  for (const check of all) {
    const trial = new Faults(faults.open)
    trial.depth = faults.depth
    if (check(value, trial)) fitting += 1
    if (fitting > 0 && !isOneOf) return true
  }
  if (fitting === 1) return true
  if (fitting > 1) return faults.add(field, `fits ${fitting} of the ${all.length} forms, must fit exactly one`)
  return faults.add(field, `fits none of the ${all.length} forms`)
}

/**
 * Refuses a value that a check accepts (`not`). The check counts enum values as closed, in answers too, because an open
 * check would accept every value.
 */
export function not(value: unknown, field: string, faults: Faults, check: Check): boolean {
  const trial = new Faults()
  trial.depth = faults.depth
  return !check(value, trial) || faults.add(field, 'has a form that is excluded here')
}

/**
 * Checks a value by the check of its discriminator, and adds only the faults of that check. An unknown value of the
 * discriminator is a fault, except in open answers.
 */
export function tagged(value: unknown, field: string, faults: Faults, property: string, checks: Forms): boolean {
  if (!isRecord(value)) return faults.refuse(value, field, 'must be an object')
  const tag = own(value, property)
  const check = typeof tag === 'string' && Object.hasOwn(checks, tag) ? checks[tag] : undefined
  if (check) return recursive(value, field, faults, check)
  if (faults.open && typeof tag === 'string') return true
  return choice(tag, join(field, path(property)), faults, new Set(Object.keys(checks)))
}

/** `T` without some of its members; the index signature stays. */
type Without<T, N extends PropertyKey> = { [K in keyof T as Exclude<K, N>]: T[K] }

/** Returns a copy of `value` without some members: output-only members, and members that are set anew. */
export function omit<T extends object, N extends string>(value: T, names: ReadonlySet<N>): Without<T, N> {
  const copy = { ...value }
  for (const name of names) if (Object.hasOwn(copy, name)) Reflect.deleteProperty(copy, name)
  return copy
}

/** Returns a completed value under its own type, which TypeScript cannot derive for members of alternatives. */
export function retyped<T>(value: object): T {
  return value as T
}

/** Returns the text of `value`, which is JSON, with sorted members at every depth, for comparisons and digests. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (!isRecord(member)) return typeof member === 'bigint' ? `${member}n` : member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Prefixes the faults from an index on with `field`. Always returns false, as `Faults.add` does. */
export function prefix(faults: Faults, from: number, field: string): false {
  for (const fault of faults.list.slice(from)) fault.field = join(field, fault.field)
  return false
}

/** Joins the paths of two fields; an empty path stands for the whole value. */
export function join(outer: string, inner: string): string {
  return outer && inner && inner[0] !== '[' ? `${outer}.${inner}` : outer + inner
}

/** Returns a member's name as a step of a field path; other names than plain words are quoted in brackets and cut. */
export function path(name: string): string {
  return /^[\w$-]{1,80}$/.test(name) ? name : `[${JSON.stringify(cut(name))}]`
}

/** Returns a text for messages, cut to 80 characters. */
export function cut(shown: string): string {
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown
}
