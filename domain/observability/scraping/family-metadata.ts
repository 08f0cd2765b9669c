import type { MetricMetadata } from '../metrics/samples.ts'
import type { PageMetadata } from './pages/page-entries.ts'

/** The types of both formats in the words of the platform; a type without an entry is unknown. */
const types: Readonly<Record<string, MetricMetadata['type']>> = {
  counter: 'COUNTER',
  gauge: 'GAUGE',
  histogram: 'HISTOGRAM',
  summary: 'SUMMARY',
  info: 'GAUGE',
  stateset: 'GAUGE',
}

/** The label whose value is a number, for each type that has such a label. */
const numberLabels: Readonly<Record<string, string>> = { histogram: 'le', summary: 'quantile' }

/** The descriptions that a page has of its families of metrics. */
export class FamilyMetadata {
  readonly #families = new Map<string, { type: string; help: string; unit: string }>()
  #lastType = ''

  add({ kind, name, text }: PageMetadata): void {
    const family = this.#families.get(name) ?? { type: '', help: '', unit: '' }
    this.#families.set(name, family)
    family[kind] = text
    if (kind === 'type') this.#lastType = text
  }

  /**
   * Returns whether the value of a label is a number in the samples that follow. Prometheus judges by the last type of the
   * page, whatever the names of the samples are.
   */
  isNumber(label: string): boolean {
    return numberLabels[this.#lastType] === label
  }

  /** Returns the descriptions of the page, in its order. */
  all(): MetricMetadata[] {
    return [...this.#families].map(([name, { help, type, unit }]) => ({
      name,
      type: types[type] ?? 'UNKNOWN',
      unit,
      description: help,
    }))
  }
}
