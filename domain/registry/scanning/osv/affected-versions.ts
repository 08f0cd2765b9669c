import { compareSemver } from '../versions/semver.ts'
import type { VersionOrder } from '../versions/version-order.ts'
import { versionOrder } from '../versions/version-orders.ts'
import type { OsvAffected, OsvEvent, OsvEventKind, OsvRange } from './osv-record.ts'

/** The part of an affected package that says which of its versions are affected. */
export type AffectedVersions = Pick<OsvAffected, 'ranges' | 'versions'>

/**
 * Returns the versions that mend a version of a package, in their order; none if there is no such version yet. Undefined
 * if the version is not affected. Evaluates as the specification of OSV does ("Evaluation"): a version is affected if the
 * list of versions has it, or if it lies in a range.
 */
export function fixesOf(
  { ranges, versions }: AffectedVersions,
  ecosystem: string,
  version: string,
): readonly string[] | undefined {
  const found = ranges.map(range => fixIn(sortedRange(range, ecosystem), version)).filter(fix => fix !== undefined)
  if (found.length === 0 && !versions.includes(version)) return undefined
  return sortedVersions(
    found.filter(fix => fix !== ''),
    ecosystem,
  )
}

/** Returns the affected versions without the versions that the ranges cover; both affect the same versions. */
export function withoutCovered({ ranges, versions }: AffectedVersions, ecosystem: string): AffectedVersions {
  const sorted = ranges.map(range => sortedRange(range, ecosystem))
  const isCovered = (version: string): boolean => sorted.some(range => fixIn(range, version) !== undefined)
  return { ranges, versions: versions.filter(version => !isCovered(version)) }
}

/** Returns versions in the order of their ecosystem, each once. */
export function sortedVersions(versions: readonly string[], ecosystem: string): readonly string[] {
  const order = versionOrder(ecosystem)
  const once = [...new Set(versions)]
  return order === undefined ? once.sort() : once.sort(order)
}

/** A range with its events in the order of their versions, and its limits apart. */
interface SortedRange {
  readonly order: VersionOrder
  readonly events: readonly OsvEvent[]
  readonly limits: readonly OsvEvent[]
}

/** Undefined if the order of the versions is unknown. */
function sortedRange({ events, isSemver }: OsvRange, ecosystem: string): SortedRange | undefined {
  const order = isSemver ? compareSemver : versionOrder(ecosystem)
  if (order === undefined) return undefined
  const isLimit = ({ kind }: OsvEvent): boolean => kind === 'limit'
  const sorted = events.filter(event => !isLimit(event)).sort((a, b) => compareEvents(order, a, b))
  return { order, events: sorted, limits: events.filter(isLimit) }
}

/** Returns the fix of the part of the range that has the version, empty if it has none; undefined if no part has it. */
function fixIn(range: SortedRange | undefined, version: string): string | undefined {
  if (range === undefined || !isBelowLimit(range, version)) return undefined
  let isAffected = false
  let fix = ''
  for (const event of range.events) {
    const difference = isStart(event) ? 1 : range.order(version, event.version)
    isAffected = isAffectedAfter(isAffected, event.kind, difference)
    if (fix === '' && event.kind === 'fixed' && difference < 0) fix = event.version
  }
  return isAffected ? fix : undefined
}

/** Whether a version is affected after an event, from whether it was before and the comparison of it with the event. */
function isAffectedAfter(isAffected: boolean, kind: OsvEventKind, difference: number): boolean {
  if (kind === 'introduced') return isAffected || difference >= 0
  if (kind === 'fixed') return isAffected && difference < 0
  return isAffected && difference <= 0
}

/** A range with limits ends below the highest of these. */
const isBelowLimit = ({ limits, order }: SortedRange, version: string): boolean =>
  limits.length === 0 || limits.some(limit => limit.version === '*' || order(version, limit.version) < 0)

/** `0` as the introducing version is below all versions. */
const isStart = ({ kind, version }: OsvEvent): boolean => kind === 'introduced' && version === '0'

const compareEvents = (order: VersionOrder, a: OsvEvent, b: OsvEvent): number =>
  isStart(a) || isStart(b) ? Number(isStart(b)) - Number(isStart(a)) : order(a.version, b.version)
