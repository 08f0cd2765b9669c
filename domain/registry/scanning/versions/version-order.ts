/**
 * Compares two versions of an ecosystem: negative if `a` is lower, positive if `a` is higher, 0 if both are the same
 * version. Takes every text, in time linear to its length.
 */
export type VersionOrder = (a: string, b: string) => number

/** Compares two runs of ASCII digits as numbers of any length; an empty run is 0. */
export function compareDigits(a: string, b: string): number {
  const one = significant(a)
  const other = significant(b)
  return one.length - other.length || compareUnits(one, other)
}

/** Compares texts by their UTF-16 code units, which is the order of bytes for ASCII. */
export function compareUnits(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Whether a text has ASCII digits alone, and at least one. */
export const isNumber = (text: string): boolean => /^[0-9]+$/.test(text)

const significant = (digits: string): string => (digits.startsWith('0') ? digits.replace(/^0+/, '') : digits)
