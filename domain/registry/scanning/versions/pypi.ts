import { compareDigits, compareUnits, isNumber, type VersionOrder } from './version-order.ts'

/**
 * The order of versions of Python packages by PEP 440. Texts that are no such versions are lower than all versions; among
 * themselves they have the order of the setuptools of before PEP 440, as in the tools of OSV.
 */
export const comparePypi: VersionOrder = (a, b) => {
  const one = parse(a)
  const other = parse(b)
  if (one === undefined || other === undefined) {
    if (one !== undefined) return 1
    return other !== undefined ? -1 : compareUnits(legacyKey(a), legacyKey(b))
  }
  return (
    compareDigits(one.epoch, other.epoch) ||
    compareReleases(one.release, other.release) ||
    comparePhases(one.pre, other.pre) ||
    comparePhases(one.post, other.post) ||
    comparePhases(one.dev, other.dev) ||
    compareLocals(one.local, other.local)
  )
}

/** A part such as `rc1`: its place among the parts of its kind, and its number. */
interface Phase {
  readonly place: number
  readonly number: string
}

interface PythonVersion {
  readonly epoch: string
  readonly release: readonly string[]
  readonly pre: Phase
  readonly post: Phase
  readonly dev: Phase
  /** The local version; undefined if there is none, which is lower. */
  readonly local: readonly string[] | undefined
}

/** The parts of a version as PEP 440 lets them be written, Appendix B. */
const form = new RegExp(
  [
    /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)/,
    /(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\d*))?/,
    /(?:-(?<postAlone>\d+)|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>\d*))?/,
    /(?:[-_.]?(?<dev>dev)[-_.]?(?<devNumber>\d*))?/,
    /(?:\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

const phases: Readonly<Record<string, number>> = { a: 1, alpha: 1, b: 2, beta: 2, c: 3, rc: 3, pre: 3, preview: 3 }
const lowest: Phase = { place: 0, number: '' }
const present = 1
const highest: Phase = { place: 4, number: '' }

function parse(version: string): PythonVersion | undefined {
  const groups = form.exec(version.trim().toLowerCase())?.groups
  if (groups === undefined) return undefined
  const { dev, devNumber = '', epoch = '', local, post, postAlone, pre, preNumber = '', release = '' } = groups
  const hasPost = post !== undefined || postAlone !== undefined
  // A development release of a version itself comes before its pre-releases.
  const withoutPre = dev !== undefined && !hasPost ? lowest : highest
  return {
    epoch,
    release: release.split('.'),
    pre: pre === undefined ? withoutPre : { place: phases[pre] ?? 0, number: preNumber },
    post: hasPost ? { place: present, number: postAlone ?? groups['postNumber'] ?? '' } : lowest,
    dev: dev === undefined ? highest : { place: present, number: devNumber },
    local: local?.split(/[-_.]/),
  }
}

function compareReleases(a: readonly string[], b: readonly string[]): number {
  const length = Math.max(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = compareDigits(a[i] ?? '', b[i] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}

const comparePhases = (a: Phase, b: Phase): number => a.place - b.place || compareDigits(a.number, b.number)

function compareLocals(a: readonly string[] | undefined, b: readonly string[] | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1)
  for (const [i, one] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    const isNumberA = isNumber(one)
    if (isNumberA !== isNumber(other)) return isNumberA ? 1 : -1
    const difference = isNumberA ? compareDigits(one, other) : compareUnits(one, other)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

const legacyNames: ReadonlyMap<string, string> = new Map([
  ['pre', 'c'],
  ['preview', 'c'],
  ['rc', 'c'],
  ['-', 'final-'],
  ['dev', '@'],
])

/** Returns a text whose order is that of setuptools before PEP 440: numbers are padded, words have a star in front. */
function legacyKey(version: string): string {
  const key: string[] = []
  for (const part of [...(version.toLowerCase().match(/[0-9]+|[a-z]+|-/g) ?? []), 'final']) {
    if (isNumber(part)) {
      key.push(part.padStart(8, '0'))
      continue
    }
    const word = `*${legacyNames.get(part) ?? part}`
    if (word < '*final') while (key.at(-1) === '*final-') key.pop()
    while (key.at(-1) === '00000000') key.pop()
    key.push(word)
  }
  return key.join('')
}
