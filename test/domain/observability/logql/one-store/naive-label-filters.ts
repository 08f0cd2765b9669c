import type { Random } from '../../../../areas/random.ts'
import { quote, type NaiveEntry, type NaiveStage } from './naive-stage.ts'

export const labelNames = [
  'app',
  'env',
  'status',
  'level',
  'latency',
  'size',
  'method',
  'user_id',
  'app_extracted',
] as const

/** The units of quantities: nanoseconds of durations, and bytes. `m` are minutes, or megabytes. */
const units = {
  number: { '': 1 },
  duration: { ms: 1e6, s: 1e9, m: 6e10 },
  bytes: { '': 1, B: 1, KB: 1e3, MiB: 1_048_576, m: 1e6 },
} as const
export type Quantity = keyof typeof units

/** Returns the quantity of a value; undefined if it is none. */
export function quantityOf(value: string, kind: Quantity): number | undefined {
  const [, number = '', unit = ''] = /^(-?\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(value) ?? []
  const factor = new Map<string, number>(Object.entries(units[kind])).get(unit)
  return number === '' || factor === undefined ? undefined : Number(number) * factor
}

const operators: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
}

interface NaiveCondition {
  readonly text: string
  holds(entry: NaiveEntry): boolean
}

function condition(random: Random): NaiveCondition {
  const name = random.oneOf(labelNames)
  const operator = random.oneOf(Object.keys(operators))
  const compare = (kind: Quantity, value: string): NaiveCondition => ({
    text: `${name} ${operator} ${value}`,
    holds(entry) {
      const text = entry.labels.get(name)
      if (text === undefined) return false
      const [one, other] = [quantityOf(text, kind), quantityOf(value, kind)]
      if (one !== undefined && other !== undefined) return operators[operator]?.(one, other) ?? false
      entry.error ||= 'LabelFilterErr'
      return true
    },
  })
  const kind = random.below(5)
  if (kind === 0) return compare('number', random.oneOf(['200', '404.5', '-1', '0']))
  if (kind === 1) return compare('duration', random.oneOf(['20ms', '1.5s', '1m']))
  if (kind === 2) return compare('bytes', random.oneOf(['2KB', '1MiB', '10B']))
  const value = random.oneOf(['', 'api', 'error', '500', 'GET'])
  if (kind === 3) {
    const isEqual = random.percent(50)
    const text = `${name}${isEqual ? '=' : '!='}${quote(value)}`
    return { text, holds: entry => ((entry.labels.get(name) ?? '') === value) === isEqual }
  }
  const text = `${name}=~${quote('[a-z]+|5..')}`
  return { text, holds: entry => /^(?:[a-z]+|5..)$/.test(entry.labels.get(name) ?? '') }
}

/** A condition of up to three parts. Brackets are always written, but for chains of one operator. */
export function labelFilter(random: Random): NaiveStage {
  const [one, other, third] = [condition(random), condition(random), condition(random)]
  const all = (conditions: readonly NaiveCondition[], entry: NaiveEntry): boolean => {
    let holds = true
    for (const each of conditions) holds = each.holds(entry) && holds
    return holds
  }
  switch (random.below(4)) {
    case 0:
      return { text: `| ${one.text} and ${other.text}, ${third.text}`, run: entry => all([one, other, third], entry) }
    case 1:
      return { text: `| ${one.text} or ${other.text}`, run: entry => one.holds(entry) || other.holds(entry) }
    case 2: {
      const text = `| ${one.text} or ${other.text} and ${third.text}`
      return { text, run: entry => one.holds(entry) || all([other, third], entry) }
    }
    default:
      return { text: `| ${one.text}`, run: entry => one.holds(entry) }
  }
}
