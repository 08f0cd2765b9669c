import type { Refusal, SortedLabels } from './sample-batch.ts'

/** The limits of the labels of a series (observability.md 4.5); sizes in bytes of UTF-8. */
const limits = { labels: 30, nameBytes: 256, valueBytes: 2048 } as const

/** The beginning of the names of metrics that only the platform writes. */
const reserved = 'platform_'

/**
 * Returns why a series of a sender is refused, or undefined. The labels are sorted, `__name__` among them; the name of
 * the metric does not count as a label.
 */
export function seriesFault(labels: SortedLabels): Refusal | undefined {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? ''
  return nameFault(name) ?? labelsFault(labels, name, labels.length - 1)
}

/**
 * Returns the reason for which labels are refused, if any. `name` names the metric or stream, and `count` is its number of
 * labels.
 */
export function labelsFault(labels: SortedLabels, name: string, count = labels.length): Refusal | undefined {
  if (count > limits.labels)
    return { reason: 'label_limit', message: `${name} has ${count} labels of at most ${limits.labels}` }
  const long = labels.find(([label]) => isLonger(label, limits.nameBytes))
  if (long)
    return {
      reason: 'label_name_length',
      message: `${name} has a label whose name is longer than ${limits.nameBytes} bytes: "${long[0].slice(0, 80)}"`,
    }
  const [value] = labels.find(([, text]) => isLonger(text, limits.valueBytes)) ?? []
  if (value === undefined) return undefined
  return { reason: 'label_value_length', message: `${name}: label ${value} is longer than ${limits.valueBytes} bytes` }
}

/** Returns why a metric with a name is refused, or undefined. */
export function nameFault(name: string): Refusal | undefined {
  if (name === '') return { reason: 'metric_name_invalid', message: 'a metric has no name' }
  if (isLonger(name, limits.nameBytes))
    return {
      reason: 'metric_name_invalid',
      message: `${name.slice(0, 80)} is longer than ${limits.nameBytes} bytes`,
    }
  if (!name.startsWith(reserved)) return undefined
  return {
    reason: 'metric_name_reserved',
    message: `${name} begins with ${reserved}, as only metrics of the platform do`,
  }
}

const isLonger = (text: string, bytes: number) => text.length * 3 > bytes && Buffer.byteLength(text) > bytes

/** Sorts labels by name, and leaves out those with an empty value, which are absent labels in Prometheus. */
export const sortedLabels = (labels: Iterable<readonly [string, string]>): SortedLabels =>
  [...labels].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** Returns the key of a series (`labelKey`) whose labels are sorted. */
export const keyOfSorted = (labels: SortedLabels): string => JSON.stringify(labels.flat())
