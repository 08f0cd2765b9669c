import { compareDigits, compareUnits, isNumber, type VersionOrder } from './version-order.ts'

/**
 * The order of Semantic Versioning 2.0.0 §11, for npm, Go and others. It also takes what these ecosystems accept beside
 * the specification: a `v` in front, missing numbers (0), more than three, and a pre-release without its hyphen. A text
 * without a number is a pre-release of 0. Build metadata, and so `+incompatible` of Go, does not count.
 */
export const compareSemver: VersionOrder = (a, b) => {
  const one = parse(a)
  const other = parse(b)
  const length = Math.max(one.numbers.length, other.numbers.length)
  for (let i = 0; i < length; i++) {
    const difference = compareDigits(one.numbers[i] ?? '', other.numbers[i] ?? '')
    if (difference !== 0) return difference
  }
  return comparePreReleases(one.preRelease, other.preRelease)
}

interface Semver {
  readonly numbers: readonly string[]
  /** The pre-release without its hyphen; empty for a release. */
  readonly preRelease: string
}

function parse(version: string): Semver {
  const [text = ''] = version.replace(/^[v=\s]+/, '').split('+', 1)
  const numbers = /^[0-9]+(?:\.[0-9]+)*/.exec(text)?.[0] ?? ''
  const rest = text.slice(numbers.length).trimEnd()
  return { numbers: numbers.split('.'), preRelease: rest.startsWith('-') ? rest.slice(1) : rest }
}

function comparePreReleases(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return 1
  if (b === '') return -1
  const ones = a.split('.')
  const others = b.split('.')
  for (const [i, one] of ones.entries()) {
    const other = others[i]
    if (other === undefined) return 1
    const difference = compareIdentifiers(one, other)
    if (difference !== 0) return difference
  }
  return ones.length - others.length
}

function compareIdentifiers(a: string, b: string): number {
  const isNumberA = isNumber(a)
  if (isNumberA !== isNumber(b)) return isNumberA ? -1 : 1
  return isNumberA ? compareDigits(a, b) : compareUnits(a, b)
}
