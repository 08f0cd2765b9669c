import { unitWords } from './units.ts'

/** The parts of a metric from which its name follows. */
export interface NamedMetric {
  readonly name: string
  /** The unit in UCUM. */
  readonly unit: string
  readonly type: 'gauge' | 'counter' | 'other'
}

/**
 * Returns the name of a metric in Prometheus (OpenTelemetry, Prometheus and OpenMetrics Compatibility, "Metric metadata"):
 * other characters than letters, digits and colons become single underscores; the words of the unit follow unless the
 * name has them; counters end with `_total`, and gauges with the unit 1 with `_ratio`. Empty if nothing is left.
 */
export function metricName({ name, type, unit }: NamedMetric): string {
  const parts = name.split(/[^a-zA-Z0-9:]+/).filter(part => part !== '')
  const { main, per } = unitWords(unit)
  const units = [
    ...(main === '' || parts.includes(main) ? [] : [main]),
    ...(per === '' || parts.includes(per) ? [] : ['per', per]),
  ]
  const all = [...parts, ...units]
  if (type === 'counter') return joined(endingWith(all, 'total'))
  return joined(type === 'gauge' && unit.trim() === '1' ? endingWith(all, 'ratio') : all)
}

/**
 * Returns the name of a label for an attribute: other characters than letters and digits become single underscores, and
 * a name that begins with a digit gets `key_` before it. Empty if nothing is left.
 */
export function labelName(key: string): string {
  const name = key.replaceAll(/[^a-zA-Z0-9]+/g, '_')
  return /^\d/.test(name) ? `key_${name}` : name === '_' ? '' : name
}

/** Moves a word to the end. */
const endingWith = (parts: readonly string[], word: string) => [...parts.filter(part => part !== word), word]

function joined(parts: readonly string[]): string {
  const name = parts.join('_')
  return /^\d/.test(name) ? `_${name}` : name
}
