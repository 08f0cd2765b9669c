import { type Check, cut, Faults, isRecord, nested, own, path, prefix } from './validation.ts'

/**
 * This module holds the checks of the keywords that only schemas of OpenAPI 3.1 have, and of constants. The checks have
 * the contract of those of validation.ts.
 */

/** Checks that a value equals a list or an object; the order of members does not matter. */
export function constant(value: unknown, field: string, faults: Faults, wanted: unknown): boolean {
  return isEqual(value, wanted) || faults.refuse(value, field, `must be ${cut(JSON.stringify(wanted))}`)
}

/** Whether two JSON values are equal. The depth of `wanted` bounds the recursion. */
function isEqual(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value) || value.length !== wanted.length) return false
    return wanted.every((item, i) => isEqual(value[i], item))
  }
  if (!isRecord(wanted)) return value === wanted
  const names = Object.keys(wanted)
  if (!isRecord(value) || Object.keys(value).length !== names.length) return false
  return names.every(name => Object.hasOwn(value, name) && isEqual(value[name], wanted[name]))
}

/** Whether a value fits a check, with enum values and objects closed, because an open check would accept every value. */
function fits(value: unknown, faults: Faults, check: Check): boolean {
  const trial = new Faults()
  trial.depth = faults.depth
  return check(value, trial)
}

/** Checks a value by `then` if the value fits `test`, and by `otherwise` if not; an absent check accepts every value. */
export function conditional(
  value: unknown,
  field: string,
  faults: Faults,
  test: Check,
  then: Check | undefined,
  otherwise?: Check,
): boolean {
  const check = fits(value, faults, test) ? then : otherwise
  return check === undefined || nested(value, field, faults, check)
}

/** Checks a value that is an object with the member `name`; other values pass. */
export function dependent(value: unknown, field: string, faults: Faults, name: string, check: Check): boolean {
  if (!isRecord(value) || own(value, name) === undefined) return true
  return nested(value, field, faults, check)
}

/** Checks that the members `needed` are present if the member `name` is. */
export function together(
  value: Record<string, unknown>,
  faults: Faults,
  name: string,
  needed: readonly string[],
): void {
  if (own(value, name) === undefined) return
  for (const other of needed) {
    if (own(value, other) === undefined) faults.add(path(other), `is required beside ${cut(name)}`)
  }
}

/** Checks the names of the members of an object. */
export function names(value: Record<string, unknown>, faults: Faults, check: Check): void {
  for (const name of Object.keys(value)) {
    if (faults.isFull) return
    if (!fits(name, faults, check)) faults.add(path(name), 'has a name that is not allowed')
  }
}

/** Patterns of names, each with the check of the members whose names match the pattern. */
type Patterns = readonly (readonly [RegExp, Check])[]

/**
 * Checks each member of an object by the checks of all patterns that its name matches. A member whose name matches no
 * pattern and is not in `named` is checked by `rest`, or refused if `rest` is false.
 */
export function patterned(
  value: Record<string, unknown>,
  faults: Faults,
  patterns: Patterns,
  named: readonly string[],
  rest?: Check | false,
): void {
  for (const name of Object.keys(value)) {
    if (faults.isFull) return
    let isMatched = named.includes(name)
    for (const [pattern, check] of patterns) {
      if (!pattern.test(name)) continue
      isMatched = true
      member(value, name, faults, check)
    }
    if (isMatched || rest === undefined) continue
    if (rest) member(value, name, faults, rest)
    else if (!faults.open) faults.add(path(name), 'is not a known field')
  }
}

function member(value: Record<string, unknown>, name: string, faults: Faults, check: Check): void {
  const before = faults.list.length
  if (!check(value[name], faults)) prefix(faults, before, path(name))
}

/** Checks each of the first items of a list by the check of its index, and each further item by `rest`. */
export function tuple(
  value: unknown,
  field: string,
  faults: Faults,
  first: readonly Check[],
  rest?: Check,
): value is unknown[] {
  if (!Array.isArray(value)) return faults.refuse(value, field, 'must be a list')
  const { count } = faults
  for (let i = 0; i < value.length && !faults.isFull; i += 1) {
    const before = faults.list.length
    const check = first[i] ?? rest
    if (check && !check(value[i], faults)) prefix(faults, before, `${field}[${i}]`)
  }
  return faults.count === count
}

/** Checks that at least `min` and at most `max` items of a list fit a check. */
export function contains(
  value: readonly unknown[],
  field: string,
  faults: Faults,
  check: Check,
  min = 1,
  max = Infinity,
): boolean {
  const fitting = value.filter(item => fits(item, faults, check)).length
  const items = (count: number): string => `${count} item${count === 1 ? '' : 's'} of a certain form`
  if (fitting < min) return faults.add(field, `must have at least ${items(min)}`)
  return fitting <= max || faults.add(field, `must have at most ${items(max)}`)
}

/** The members and items that the parts of a schema evaluate. */
export interface Evaluation {
  /** The names of evaluated members; true for all members. */
  readonly members?: readonly string[] | true
  /** The patterns of the names of evaluated members. */
  readonly patterns?: readonly RegExp[]
  /** The number of evaluated items at the start of a list. */
  readonly items?: number
  /** The checks of evaluated items. */
  readonly contained?: readonly Check[]
  /** The evaluations that count only for values that fit a check, and those for other values. */
  readonly cases?: readonly { readonly if: Check; readonly then?: Evaluation; readonly else?: Evaluation }[]
}

/** Yields an evaluation and the evaluations of its cases that apply to a value. */
function* applying(value: unknown, faults: Faults, evaluation: Evaluation): Generator<Evaluation, void, undefined> {
  yield evaluation
  for (const each of evaluation.cases ?? []) {
    const inner = fits(value, faults, each.if) ? each.then : each.else
    if (inner) yield* applying(value, faults, inner)
  }
}

/** Checks the members of an object that an evaluation leaves out by `rest`; without `rest`, refuses them. */
export function unevaluatedMembers(
  value: unknown,
  field: string,
  faults: Faults,
  evaluation: Evaluation,
  rest?: Check,
): boolean {
  if (!isRecord(value) || (!rest && faults.open)) return true
  const all = [...applying(value, faults, evaluation)]
  const isEvaluated = (name: string): boolean =>
    all.some(
      ({ members, patterns }) =>
        members === true || members?.includes(name) || patterns?.some(pattern => pattern.test(name)),
    )
  const { count, list } = faults
  const before = list.length
  for (const name of Object.keys(value)) {
    if (faults.isFull) break
    if (isEvaluated(name)) continue
    if (rest) member(value, name, faults, rest)
    else faults.add(path(name), 'is not a known field')
  }
  return faults.count === count || prefix(faults, before, field)
}

/** Checks the items of a list that an evaluation leaves out by `rest`; without `rest`, refuses them. */
export function unevaluatedItems(
  value: unknown,
  field: string,
  faults: Faults,
  evaluation: Evaluation,
  rest?: Check,
): boolean {
  if (!Array.isArray(value)) return true
  const all = [...applying(value, faults, evaluation)]
  const { count } = faults
  for (let i = Math.max(...all.map(({ items = 0 }) => items)); i < value.length && !faults.isFull; i += 1) {
    const item: unknown = value[i]
    if (all.some(({ contained }) => contained?.some(check => fits(item, faults, check)))) continue
    const before = faults.list.length
    if (!rest) faults.add(`${field}[${i}]`, 'must not be given')
    else if (!rest(item, faults)) prefix(faults, before, `${field}[${i}]`)
  }
  return faults.count === count
}
