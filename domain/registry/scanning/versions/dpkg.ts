import { compareDigits, type VersionOrder } from './version-order.ts'

/** The order of versions of Debian packages: `[epoch:]upstream[-revision]`, where `~` sorts before the end (deb-version(7)). */
export const compareDpkg: VersionOrder = (a, b) => {
  const one = parse(a)
  const other = parse(b)
  return (
    compareDigits(one.epoch, other.epoch) ||
    compareParts(one.upstream, other.upstream) ||
    compareParts(one.revision, other.revision)
  )
}

interface DpkgVersion {
  readonly epoch: string
  readonly upstream: string
  readonly revision: string
}

function parse(version: string): DpkgVersion {
  const text = version.trim()
  const epoch = /^([0-9]+):/.exec(text)?.[1]
  const rest = epoch === undefined ? text : text.slice(epoch.length + 1)
  const dash = rest.lastIndexOf('-')
  const [upstream, revision] = dash === -1 ? [rest, ''] : [rest.slice(0, dash), rest.slice(dash + 1)]
  return { epoch: epoch ?? '', upstream, revision }
}

/** Compares runs of other characters and runs of digits in turn. */
function compareParts(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    while (isOther(a, i) || isOther(b, j)) {
      const difference = weight(a, i) - weight(b, j)
      if (difference !== 0) return difference
      i++
      j++
    }
    const endA = endOfDigits(a, i)
    const endB = endOfDigits(b, j)
    const difference = compareDigits(a.slice(i, endA), b.slice(j, endB))
    if (difference !== 0) return difference
    i = endA
    j = endB
  }
  return 0
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

const isOther = (text: string, at: number): boolean => at < text.length && !isDigit(text, at)

function endOfDigits(text: string, from: number): number {
  let end = from
  while (isDigit(text, end)) end++
  return end
}

/** The place of a character: `~` before the end and digits, then letters, then all others. */
function weight(text: string, at: number): number {
  if (!isOther(text, at)) return 0
  const code = text.charCodeAt(at)
  if (code === 126) return -1
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isLetter ? code : code + 256
}
