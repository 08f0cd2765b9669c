import { isComparison, type BinaryOperator, type Comparison, type SetOperator } from '../language/operators.ts'

type Arithmetic = Exclude<BinaryOperator, Comparison | SetOperator>

/** Raises to a power; 1 to any power is 1, and so is -1 to an infinite power (IEEE 754 pow). */
const power = (base: number, exponent: number): number =>
  base === 1 || (base === -1 && Math.abs(exponent) === Infinity) ? 1 : base ** exponent

const arithmetic: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
}

const comparisons: Readonly<Record<Comparison, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

/** A binary operation on two numbers; undefined if a comparison drops the element. */
export type Operation = (left: number, right: number) => number | undefined

/**
 * Returns the operation of an operator that is no set operator. A comparison gives 1 and 0 with `bool`; without, it gives
 * the number on the side `kept`, or drops the element.
 */
export function operationOf(operator: BinaryOperator, bool: boolean, kept: 'left' | 'right'): Operation {
  if (!isComparison(operator)) return arithmetic[operator as Arithmetic]
  const compare = comparisons[operator]
  if (bool) return (left, right) => (compare(left, right) ? 1 : 0)
  if (kept === 'left') return (left, right) => (compare(left, right) ? left : undefined)
  return (left, right) => (compare(left, right) ? right : undefined)
}

/** Whether the result of an operator no longer is the metric of its operand, so that it loses the name. */
export const changesMetric = (operator: BinaryOperator, bool: boolean): boolean => bool || !isComparison(operator)
