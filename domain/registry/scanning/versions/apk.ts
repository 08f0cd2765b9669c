import { compareDigits, compareUnits, type VersionOrder } from './version-order.ts'

/**
 * The order of versions of Alpine packages, by apk-tools 3: `number{.number}{letter}{_suffix{number}}{~hash}{-r number}`.
 * A number after the first that starts with 0 is compared as text. Where one version has a part that the other lacks,
 * the version with it is higher, except for the suffixes of releases to come. A text that is no version is compared up to
 * its fault, and is lower than what goes on there.
 */
export const compareApk: VersionOrder = (a, b) => {
  let one = firstPart(a)
  let other = firstPart(b)
  while (one.kind === other.kind && one.kind < kinds.end) {
    const difference = compareSame(one, other)
    if (difference !== 0) return difference
    one = nextPart(a, one)
    other = nextPart(b, other)
  }
  if (one.kind === other.kind) return 0
  if (isEarly(one)) return -1
  if (isEarly(other)) return 1
  return other.kind - one.kind
}

/** The kinds of parts. Of two versions that differ in the kind of a part, the version with the earlier kind is higher. */
const kinds = {
  first: 0,
  number: 1,
  letter: 2,
  suffix: 3,
  suffixNumber: 4,
  hash: 5,
  revision: 6,
  end: 7,
  fault: 8,
} as const

/** The suffixes in their order; the absence of a suffix is the place of `none`. */
const suffixes: readonly string[] = ['alpha', 'beta', 'pre', 'rc', 'none', 'cvs', 'svn', 'git', 'hg', 'p']
const noSuffix = suffixes.indexOf('none')

/** The parts that follow parts of the kinds `from` to `to`; the first group is the text of the part. */
const forms = [
  { kind: kinds.number, from: kinds.first, to: kinds.number, pattern: /\.([0-9]+)/y },
  { kind: kinds.letter, from: kinds.first, to: kinds.number, pattern: /([a-z])/y },
  {
    kind: kinds.suffix,
    from: kinds.first,
    to: kinds.suffixNumber,
    pattern: /_(alpha|beta|pre|rc|cvs|svn|git|hg|p)(?![a-z])/y,
  },
  { kind: kinds.suffixNumber, from: kinds.suffix, to: kinds.suffix, pattern: /([0-9]+)/y },
  { kind: kinds.hash, from: kinds.first, to: kinds.suffixNumber, pattern: /~([0-9a-f]+)/y },
  { kind: kinds.revision, from: kinds.first, to: kinds.hash, pattern: /-r([0-9]+)/y },
] as const

interface Part {
  readonly kind: (typeof kinds)[keyof typeof kinds]
  readonly text: string
  /** The index behind the part. */
  readonly end: number
}

function firstPart(version: string): Part {
  const text = /^[0-9]+/.exec(version)?.[0]
  return text === undefined ? { kind: kinds.fault, text: '', end: 0 } : { kind: kinds.first, text, end: text.length }
}

function nextPart(version: string, { end: at, kind: after }: Part): Part {
  if (at === version.length) return { kind: kinds.end, text: '', end: at }
  for (const { from, kind, pattern, to } of forms) {
    if (after < from || after > to) continue
    pattern.lastIndex = at
    const text = pattern.exec(version)?.[1]
    if (text !== undefined) return { kind, text, end: pattern.lastIndex }
  }
  return { kind: kinds.fault, text: '', end: at }
}

function compareSame({ kind, text: a }: Part, { text: b }: Part): number {
  if (kind === kinds.suffix) return suffixes.indexOf(a) - suffixes.indexOf(b)
  if (kind === kinds.letter || kind === kinds.hash) return compareUnits(a, b)
  const isText = kind === kinds.number && (a.startsWith('0') || b.startsWith('0'))
  return isText ? compareUnits(a, b) : compareDigits(a, b)
}

/** Whether a part makes its version lower than the version without it. */
const isEarly = ({ kind, text }: Part): boolean => kind === kinds.suffix && suffixes.indexOf(text) < noSuffix
