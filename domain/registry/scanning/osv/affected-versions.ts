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
  const found = ranges.map(range => fixInRange(range, ecosystem, version)).filter(fix => fix !== undefined)
  if (found.length === 0 && !versions.includes(version)) return undefined
  return sortedVersions(
    found.filter(fix => fix !== ''),
    ecosystem,
  )
}

/** Returns the affected versions without the versions that the ranges cover; both affect the same versions. */
export function withoutCovered(affected: AffectedVersions, ecosystem: string): AffectedVersions {
  const { ranges } = affected
  const isCovered = (version: string): boolean => fixesOf({ ranges, versions: [] }, ecosystem, version) !== undefined
  return { ranges, versions: affected.versions.filter(version => !isCovered(version)) }
}

/** Returns versions in the order of their ecosystem, each once. */
export function sortedVersions(versions: readonly string[], ecosystem: string): readonly string[] {
  const order = versionOrder(ecosystem)
  const once = [...new Set(versions)]
  return order === undefined ? once.sort() : once.sort(order)
}

/** Returns the fix of the part of the range that has the version, empty if it has none; undefined if no part has it. */
function fixInRange({ events, isSemver }: OsvRange, ecosystem: string, version: string): string | undefined {
  const order = isSemver ? compareSemver : versionOrder(ecosystem)
  if (order === undefined || !isBelowLimit(events, order, version)) return undefined
  let isAffected = false
  const sorted = [...events].sort((a, b) => compareEvents(order, a, b))
  for (const event of sorted) isAffected = after[event.kind](isAffected, () => compareTo(order, version, event))
  if (!isAffected) return undefined
  return sorted.find(event => event.kind === 'fixed' && compareTo(order, version, event) < 0)?.version ?? ''
}

/** Whether a version is affected after an event, from whether it was before and the comparison of it with the event. */
const after: Readonly<Record<OsvEventKind, (isAffected: boolean, compared: () => number) => boolean>> = {
  introduced: (isAffected, compared) => isAffected || compared() >= 0,
  fixed: (isAffected, compared) => isAffected && compared() < 0,
  last_affected: (isAffected, compared) => isAffected && compared() <= 0,
  limit: isAffected => isAffected,
}

/** A range with limits ends below the highest of these. */
function isBelowLimit(events: readonly OsvEvent[], order: VersionOrder, version: string): boolean {
  const limits = events.filter(event => event.kind === 'limit')
  return limits.length === 0 || limits.some(event => event.version === '*' || order(version, event.version) < 0)
}

/** `0` as the introducing version is below all versions. */
const isStart = ({ kind, version }: OsvEvent): boolean => kind === 'introduced' && version === '0'

const compareTo = (order: VersionOrder, version: string, event: OsvEvent): number =>
  isStart(event) ? 1 : order(version, event.version)

const compareEvents = (order: VersionOrder, a: OsvEvent, b: OsvEvent): number =>
  isStart(a) || isStart(b) ? Number(isStart(b)) - Number(isStart(a)) : order(a.version, b.version)
