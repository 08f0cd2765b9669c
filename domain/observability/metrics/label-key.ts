import { setMember } from '../../../runtime/json.ts'
import type { Labels } from './samples.ts'

/**
 * Returns the key of a series: names and values of its labels as a list in JSON, by names. The key is equal for equal
 * labels and for no others. Empty values do not count.
 */
export function labelKey(labels: Labels): string {
  const names = Object.keys(labels)
  if (!isAscending(names)) names.sort()
  const list: string[] = []
  for (const name of names) {
    const value = labels[name]
    if (value !== undefined && value !== '') list.push(name, value)
  }
  return JSON.stringify(list)
}

/** Returns the labels of a key. Throws `SyntaxError` for a text that is no key. */
export function labelsOfKey(key: string): Labels {
  const list: unknown = JSON.parse(key)
  if (!Array.isArray(list)) throw new SyntaxError('the labels of a series are malformed')
  const labels: Record<string, string> = {}
  for (let i = 0; i < list.length; i += 2) setMember(labels, String(list[i]), String(list[i + 1]))
  return labels
}

/** Returns the value of a label; empty if the series lacks the label. */
export const valueOf = (labels: Labels, name: string): string =>
  Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''

/** Returns a hash of a key, a whole number of 53 bits. */
export function hashOfKey(key: string): number {
  let low = 0x81_1c_9d_c5
  let high = 0x9e_37_79_b9
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x01_00_01_93)
    high = Math.imul(high ^ unit, 0x85_eb_ca_6b)
    high ^= high >>> 13
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0)
}

function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i += 1) if ((names[i] ?? '') <= (names[i - 1] ?? '')) return false
  return true
}
