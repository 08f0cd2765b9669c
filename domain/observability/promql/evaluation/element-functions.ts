const round = (value: number, nearest: number): number => {
  const inverse = 1 / nearest
  return Math.floor(value * inverse + 0.5) / inverse
}

/** The larger number; Infinity also wins over NaN. */
const larger = (one: number, other: number): number =>
  one === Infinity || other === Infinity ? Infinity : Math.max(one, other)
/** The smaller number; -Infinity also wins over NaN. */
const smaller = (one: number, other: number): number =>
  one === -Infinity || other === -Infinity ? -Infinity : Math.min(one, other)

/** The functions of one element of a vector, by name. Further arguments are scalars. */
export const elementFunctions: ReadonlyMap<string, (value: number, ...scalars: number[]) => number> = new Map<
  string,
  (value: number, ...scalars: number[]) => number
>([
  ['abs', Math.abs],
  ['ceil', Math.ceil],
  ['floor', Math.floor],
  ['sqrt', Math.sqrt],
  ['exp', Math.exp],
  ['ln', Math.log],
  ['log2', Math.log2],
  ['log10', Math.log10],
  ['sgn', value => (value < 0 ? -1 : value > 0 ? 1 : value)],
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ['atan', Math.atan],
  ['sinh', Math.sinh],
  ['cosh', Math.cosh],
  ['tanh', Math.tanh],
  ['asinh', Math.asinh],
  ['acosh', Math.acosh],
  ['atanh', Math.atanh],
  ['deg', value => (value * 180) / Math.PI],
  ['rad', value => (value * Math.PI) / 180],
  ['round', (value, nearest = 1) => round(value, nearest)],
  ['clamp', (value, least = NaN, most = NaN) => larger(least, smaller(most, value))],
  ['clamp_min', (value, least = NaN) => larger(least, value)],
  ['clamp_max', (value, most = NaN) => smaller(most, value)],
])
