import type { AttributeValue } from '../../../output/observability/types.ts'
import type { CompareOperator, EnumValue } from './expression.ts'

/** A value of a span or of a query; undefined if the span has none. */
export type Value = AttributeValue | EnumValue | undefined

type Single = string | number | boolean | EnumValue

/**
 * Compares two values. Values of different types, and absent values, fit no operator. A list fits if one of its elements
 * fits; for `!=`, if none of its elements is equal.
 */
export function compare(left: Value, operator: CompareOperator, right: Value): boolean {
  if (left === undefined || right === undefined) return false
  if (Array.isArray(left)) return fits(left, operator, element => compare(element, operator, right))
  if (Array.isArray(right)) return fits(right, operator, element => compare(left, operator, element))
  return comparedSingles(left, operator, right)
}

/** Whether a text, or the elements of a list of texts, fit a test; for a negated test, if all texts fit. */
export function matches(value: Value, test: (text: string) => boolean, isNegated: boolean): boolean {
  if (Array.isArray(value)) return fits(value, isNegated ? '!=' : '=', element => matches(element, test, isNegated))
  return typeof value === 'string' && test(value) !== isNegated
}

const fits = <Element>(list: readonly Element[], operator: CompareOperator, test: (element: Element) => boolean) =>
  operator === '!=' ? list.length > 0 && list.every(test) : list.some(test)

function comparedSingles(left: Single, operator: CompareOperator, right: Single): boolean {
  if (typeof left === 'object' || typeof right === 'object') {
    if (typeof left !== 'object' || typeof right !== 'object' || left.type !== right.type) return false
    return operator === '=' ? left === right : operator === '!=' && left !== right
  }
  if (typeof left !== typeof right) return false
  if (operator === '=') return left === right
  if (operator === '!=') return left !== right
  return typeof left !== 'boolean' && isOrdered(order(left, right), operator)
}

/** Returns the order of two numbers or two texts; texts are ordered by the bytes of UTF-8. */
const order = (left: string | number, right: Single): number =>
  typeof left === 'number' ? left - Number(right) : Buffer.compare(Buffer.from(left), Buffer.from(String(right)))

function isOrdered(sign: number, operator: Exclude<CompareOperator, '!=' | '='>): boolean {
  switch (operator) {
    case '<':
      return sign < 0
    case '<=':
      return sign <= 0
    case '>':
      return sign > 0
    case '>=':
      return sign >= 0
  }
}
