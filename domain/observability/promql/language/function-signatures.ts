import type { ValueType } from './expression.ts'

/** The arguments and the result of a function. */
export interface Signature {
  /** The types of the arguments; the last type holds for all further arguments. */
  readonly arguments: readonly ValueType[]
  /** The smallest number of arguments. */
  readonly least: number
  /** The largest number of arguments. */
  readonly most: number
  readonly result: 'scalar' | 'vector'
}

const of = (...types: ValueType[]): Signature => ({
  arguments: types,
  least: types.length,
  most: types.length,
  result: 'vector',
})
const mapped = of('vector')
const windowed = of('matrix')
const ofDate: Signature = { ...mapped, least: 0 }
const constant: Signature = { ...of(), result: 'scalar' }

/** The functions that are evaluated, by name. */
export const signatures: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ...['abs', 'ceil', 'floor', 'sqrt', 'exp', 'ln', 'log2', 'log10', 'sgn'].map(name => [name, mapped] as const),
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'deg', 'rad'].map(
    name => [name, mapped] as const,
  ),
  ...['absent', 'sort', 'sort_desc', 'timestamp'].map(name => [name, mapped] as const),
  ...['minute', 'hour', 'day_of_week', 'day_of_month', 'day_of_year', 'days_in_month', 'month', 'year'].map(
    name => [name, ofDate] as const,
  ),
  ...['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'changes', 'resets', 'absent_over_time'].map(
    name => [name, windowed] as const,
  ),
  ...['avg', 'min', 'max', 'sum', 'count', 'last', 'first', 'present', 'stddev', 'stdvar'].map(
    name => [`${name}_over_time`, windowed] as const,
  ),
  ['quantile_over_time', of('scalar', 'matrix')],
  ['predict_linear', of('matrix', 'scalar')],
  ['clamp', of('vector', 'scalar', 'scalar')],
  ['clamp_min', of('vector', 'scalar')],
  ['clamp_max', of('vector', 'scalar')],
  ['round', { ...of('vector', 'scalar'), least: 1 }],
  ['histogram_quantile', of('scalar', 'vector')],
  ['label_replace', of('vector', 'string', 'string', 'string', 'string')],
  ['label_join', { ...of('vector', 'string', 'string', 'string'), least: 3, most: Infinity }],
  ['scalar', { ...mapped, result: 'scalar' }],
  ['vector', of('scalar')],
  ['time', constant],
  ['pi', constant],
])
