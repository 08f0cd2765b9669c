import cvss from 'ae-cvss-calculator'
import type { CvssScore, Severity } from '../../../../output/registry/types.ts'

/** Longer vectors than all metrics of CVSS 4.0 take are refused unread. */
const maxVector = 500

/** The versions of CVSS by the start of their vectors. Vectors of version 2 have none. */
const versions = [
  ['CVSS:4.0/', '4.0'],
  ['CVSS:3.1/', '3.1'],
  ['CVSS:3.0/', '3.0'],
  ['AV:', '2.0'],
] as const

/** The forms of a vector: metrics with a slash between them, none twice. */
const metrics = /^(?:CVSS:[34]\.[01]\/)?([A-Za-z]{1,3}:[A-Z][A-Za-z]{0,5}(?:\/[A-Za-z]{1,3}:[A-Z][A-Za-z]{0,5})*)$/

/** Returns the base score of a vector; undefined if it is no vector with all base metrics. */
export function readScore(vector: unknown): CvssScore | undefined {
  if (typeof vector !== 'string' || vector.length > maxVector) return undefined
  const version = versions.find(([start]) => vector.startsWith(start))?.[1]
  const names = metrics
    .exec(vector)?.[1]
    ?.split('/')
    .map(metric => metric.split(':', 1)[0])
  if (version === undefined || names === undefined || new Set(names).size < names.length) return undefined
  const score = baseScore(vector)
  return score === undefined ? undefined : { version, vector, score }
}

function baseScore(vector: string): number | undefined {
  // The package returns nothing, or throws, for vectors with unknown metrics or values.
  try {
    const parsed: unknown = cvss.fromVector(vector)
    if (!(parsed instanceof cvss.CvssVector) || !parsed.isBaseFullyDefined()) return undefined
    const scores: Readonly<Record<string, unknown>> = { ...parsed.calculateScores() }
    // The base of version 4.0 includes threat and environment if the vector has these metrics.
    const score = scores['baseMetricsOnly'] ?? scores['base']
    return typeof score === 'number' && Number.isFinite(score) ? score : undefined
  } catch {
    return undefined
  }
}

/** The severities by their least score, of FIRST (CVSS v3.1 §5, CVSS v4.0 §6). */
const bands = [
  [9, 'REGISTRY_SEVERITY_CRITICAL'],
  [7, 'REGISTRY_SEVERITY_HIGH'],
  [4, 'REGISTRY_SEVERITY_MEDIUM'],
  [0.1, 'REGISTRY_SEVERITY_LOW'],
  [0, 'REGISTRY_SEVERITY_NONE'],
] as const satisfies readonly (readonly [number, Severity])[]

/** Returns the severity of the highest score of the newest version: 4.0, then 3.x, then 2.0; UNKNOWN without a score. */
export function severityOf(scores: readonly CvssScore[]): Severity {
  const newest = Math.max(...scores.map(majorVersion))
  const highest = Math.max(...scores.filter(score => majorVersion(score) === newest).map(({ score }) => score))
  return bands.find(([least]) => highest >= least)?.[1] ?? 'REGISTRY_SEVERITY_UNKNOWN'
}

const majorVersion = ({ version }: CvssScore): number => Number(version.split('.', 1)[0])
