import { severityValues, type Severity } from '../../../output/registry/types.ts'
import { compareText } from '../../../runtime/filter/fields.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { Finding } from '../scanning/advisories.ts'
import { digestOf } from '../values/digest.ts'
import { sortInTurns } from '../values/sort-in-turns.ts'
import type { FindingCounts } from './scans-store.ts'

/** The number of findings after which other work gets a turn, which take one or two milliseconds. */
const sliceSize = 500

/** Returns the rank of a severity, which grows with it; UNKNOWN has the lowest. */
export const rankOf = (severity: Severity): number => severityValues.indexOf(severity)

/**
 * Returns the key by which the findings of a report sort: the worst severity first, then by id, package and path. Two
 * findings with the same key are one.
 */
export const keyOf = ({ id, package: found, severity }: Finding): string =>
  [
    severityValues.length - rankOf(severity),
    ...[id, found.name, found.version, found.path].map(bounded),
    found.layer_digest,
  ].join('\u0001')

/** The longest part of a key, in characters: keys are a part of page tokens. */
const maxPart = 256

/** Returns a text, or for a longer one its beginning with a digest. */
const bounded = (text: string): string =>
  text.length <= maxPart ? text : `${text.slice(0, maxPart / 2)}${digestOf('sha256', new TextEncoder().encode(text))}`

/** Returns findings in the order of a report, each once. Yields to other work in between. */
export async function sortFindings(findings: readonly Finding[]): Promise<readonly Finding[]> {
  const byKey = new Map<string, Finding>()
  for (const [i, finding] of findings.entries()) {
    byKey.set(keyOf(finding), finding)
    if (i % sliceSize === sliceSize - 1) await nextTurn()
  }
  const entries = await sortInTurns([...byKey], ([one], [other]) => compareText(one, other))
  return entries.map(([, finding]) => finding)
}

const memberOf = {
  REGISTRY_SEVERITY_UNSPECIFIED: 'unknown',
  REGISTRY_SEVERITY_UNKNOWN: 'unknown',
  REGISTRY_SEVERITY_NONE: 'none',
  REGISTRY_SEVERITY_LOW: 'low',
  REGISTRY_SEVERITY_MEDIUM: 'medium',
  REGISTRY_SEVERITY_HIGH: 'high',
  REGISTRY_SEVERITY_CRITICAL: 'critical',
} as const satisfies Record<Severity, keyof FindingCounts>

/** Returns the number of findings of each severity, and the number of findings that a newer version mends. */
export function countFindings(findings: Iterable<Finding>): FindingCounts {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unknown: 0, fixable: 0 }
  for (const { fixed_versions, severity } of findings) {
    counts[memberOf[severity]] += 1
    if (fixed_versions.length > 0) counts.fixable += 1
  }
  return counts
}
