/** The unit of the values of a chart. A share is 1 for 100 %. */
export type Unit = 'bytes' | 'count' | 'perSecond' | 'seconds' | 'share'

/** Steps of a unit, largest first: the smallest value that is written with a step, its divisor and its name. */
type Steps = readonly (readonly [least: number, divisor: number, name: string])[]

const counts: Steps = [
  [1e9, 1e9, ' G'],
  [1e6, 1e6, ' M'],
  [1e4, 1e3, ' k'],
  [0, 1, ''],
]

const steps: Readonly<Record<Unit, Steps>> = {
  bytes: [
    [2 ** 30, 2 ** 30, ' GiB'],
    [2 ** 20, 2 ** 20, ' MiB'],
    [2 ** 10, 2 ** 10, ' KiB'],
    [0, 1, ' B'],
  ],
  count: counts,
  perSecond: counts.map(([least, divisor, name]) => [least, divisor, `${name}/s`] as const),
  seconds: [
    [1, 1, ' s'],
    [1e-3, 1e-3, ' ms'],
    [0, 1e-6, ' µs'],
  ],
  share: [[0, 0.01, ' %']],
}

/** The factors by which the distances of ticks grow. */
const ticks: Readonly<Record<'binary' | 'decimal', readonly number[]>> = {
  binary: Array.from({ length: 50 }, (_, power) => 2 ** power),
  decimal: Array.from({ length: 18 }, (_, power) => 10 ** (power - 7)).flatMap(each => [each, 2 * each, 5 * each]),
}

/** Returns the possible distances of ticks on the axis of a unit. */
export const distancesOf = (unit: Unit): number[] => [...ticks[unit === 'bytes' ? 'binary' : 'decimal']]

/** Writes a value with its unit, with at most three significant digits after the first steps. */
export function written(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  if (value === 0) return `0${steps[unit].at(-1)?.[2].replace('µs', 's') ?? ''}`
  const step: Steps[number] = steps[unit].find(([least]) => Math.abs(value) >= least) ?? [0, 1, '']
  const [, divisor, name] = step
  const scaled = value / divisor
  const text = Math.abs(scaled) >= 100 ? Math.round(scaled).toString() : Number(scaled.toPrecision(3)).toString()
  return text + name
}
