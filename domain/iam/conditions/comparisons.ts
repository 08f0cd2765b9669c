import { compareText } from '../../../runtime/filter/fields.ts'
import { isLike } from '../../../runtime/filter/evaluate.ts'
import type { Filter } from '../../../runtime/filter/types.ts'
import { storedTimestamp } from '../../../runtime/timestamps.ts'
import { own } from '../../../runtime/validation.ts'
import { addressOf, addressRange, isWithin } from '../values/address-range.ts'
import type { Condition, Attributes, Verdict } from './condition.ts'

/** A comparison of a condition. */
export type Leaf = Exclude<Filter, { readonly kind: 'and' | 'or' | 'not' }>

type Decide = Condition['decide']
type Comparison = Exclude<Leaf, { readonly kind: 'present' }>

/**
 * Compiles a checked comparison. For a known attribute, the result equals that of `matches` in the runtime; for an
 * unknown attribute, the result is undefined. One call may evaluate 64,000 comparisons of a workspace. Each comparison
 * therefore prepares its operands once and caches its last result, because consecutive calls mostly have the same
 * attributes.
 */
export function comparisonOf(leaf: Leaf): Decide {
  const { key } = leaf
  const { name } = leaf.field
  if (name === 'resource.labels') return key === undefined ? anyLabel : remembering(labelOf(key), labelTest(leaf))
  if (name === 'request.ip' && leaf.kind === 'compare')
    return remembering(({ request }) => request.ip, addressTest(leaf))
  if (name === 'request.time') return remembering(({ request }) => request.time, timeTest(leaf))
  const number = numberOf[name]
  if (number) return remembering(number, numberTest(leaf))
  return remembering(textOf[name] ?? unknown, textTest(leaf))
}

const unknown = (): undefined => undefined

const textOf: Readonly<Record<string, (attributes: Attributes) => string | undefined>> = {
  'request.ip': ({ request }) => request.ip,
  'request.permission': ({ request }) => request.permission,
  'principal.id': ({ principal }) => principal.id,
  'principal.kind': ({ principal }) => principal.kind,
  'principal.email': ({ principal }) => principal.email,
  'resource.type': ({ resource }) => resource?.type,
  'resource.id': ({ resource }) => resource?.id,
  'resource.name': ({ resource }) => resource?.name,
}

const numberOf: Readonly<Record<string, (attributes: Attributes) => number>> = {
  'request.hour_of_day': ({ request }) => request.hour_of_day,
  'request.day_of_week': ({ request }) => request.day_of_week,
}

/**
 * Returns the value of a label. Null means that the resource surely has no label with this key; undefined means that
 * the labels are unknown.
 */
const labelOf =
  (key: string) =>
  ({ resource }: Attributes): string | null | undefined => {
    const labels = resource?.labels
    if (labels === undefined) return undefined
    const value = own(labels, key)
    return typeof value === 'string' ? value : null
  }

const anyLabel: Decide = ({ resource }) => resource?.labels && Object.keys(resource.labels).length > 0

function remembering<Value extends string | number | null>(
  valueOf: (attributes: Attributes) => Value | undefined,
  test: (value: Value) => Verdict,
): Decide {
  let last: Value | undefined
  let verdict: Verdict
  return attributes => {
    const value = valueOf(attributes)
    if (value === undefined) return undefined
    if (value !== last) {
      last = value
      verdict = test(value)
    }
    return verdict
  }
}

function textTest(leaf: Leaf): (value: string) => boolean {
  if (leaf.kind === 'present') return value => value !== ''
  return comparedText(leaf)
}

/** Returns the test for the value of a label. A label with an empty value counts as present. */
function labelTest(leaf: Leaf): (value: string | null) => boolean {
  if (leaf.kind === 'present') return value => value !== null
  const test = comparedText(leaf)
  return value => value !== null && test(value)
}

function comparedText(leaf: Comparison): (value: string) => boolean {
  if (leaf.kind === 'like') return value => isLike(leaf.pieces, value) !== leaf.negated
  const { operator } = leaf
  const wanted = String(leaf.value)
  if (operator === '=') return value => value === wanted
  if (operator === '!=') return value => value !== wanted
  return value => isMet(operator, compareText(value, wanted))
}

function numberTest(leaf: Leaf): (value: number) => boolean {
  if (leaf.kind !== 'compare') return value => value !== 0
  const { operator } = leaf
  const wanted = Number(leaf.value)
  return value => isMet(operator, value - wanted)
}

function timeTest(leaf: Leaf): (value: string) => boolean {
  if (leaf.kind !== 'compare') return value => timeOf(value) !== undefined
  const { operator } = leaf
  const wanted = String(leaf.value)
  return value => {
    const time = timeOf(value)
    return time !== undefined && isMet(operator, time < wanted ? -1 : time > wanted ? 1 : 0)
  }
}

function addressTest({ operator, value }: Extract<Leaf, { readonly kind: 'compare' }>): (ip: string) => Verdict {
  const range = addressRange(String(value))
  return ip => {
    const address = range && addressAt(ip)
    return address && isWithin(address, range) === (operator === '=')
  }
}

/** Returns whether a comparison operator accepts the sign of `difference`, the left operand minus the right operand. */
function isMet(operator: Extract<Leaf, { readonly kind: 'compare' }>['operator'], difference: number): boolean {
  if (difference === 0) return operator === '=' || operator === '<=' || operator === '>='
  return operator === '!=' || operator.startsWith(difference < 0 ? '<' : '>')
}

/** Returns `make` with a cache of its last result, because all comparisons of a call parse the same text. */
function lastOf<Made>(make: (text: string) => Made): (text: string) => Made {
  let last: { readonly text: string; readonly made: Made } | undefined
  return text => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

const timeOf = lastOf(storedTimestamp)
const addressAt = lastOf(addressOf)
