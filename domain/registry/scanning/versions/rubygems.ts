import { compareDigits, compareUnits, isNumber, type VersionOrder } from './version-order.ts'

/**
 * The order of versions of gems, as `Gem::Version` of RubyGems 3: runs of digits and of letters, of which letters are
 * lower. A missing run is 0, and `-` starts a pre-release.
 */
export const compareRubyGems: VersionOrder = (a, b) => {
  const one = canonical(a)
  const other = canonical(b)
  const length = Math.max(one.length, other.length)
  for (let i = 0; i < length; i++) {
    const difference = compareSegments(one[i] ?? '0', other[i] ?? '0')
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the segments without the zeros at the end of the numbers before the first letters, and of the rest. */
function canonical(version: string): readonly string[] {
  const segments = version.replaceAll('-', '.pre.').match(/[0-9]+|[a-zA-Z]+/g) ?? []
  const letters = segments.findIndex(segment => !isNumber(segment))
  const border = letters === -1 ? segments.length : letters
  return [...withoutZeros(segments.slice(0, border)), ...withoutZeros(segments.slice(border))]
}

const withoutZeros = (segments: readonly string[]): readonly string[] =>
  segments.slice(0, segments.findLastIndex(segment => !/^0+$/.test(segment)) + 1)

function compareSegments(a: string, b: string): number {
  const isNumberA = isNumber(a)
  if (isNumberA !== isNumber(b)) return isNumberA ? 1 : -1
  return isNumberA ? compareDigits(a, b) : compareUnits(a, b)
}
