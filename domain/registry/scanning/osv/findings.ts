import { severityValues, type CvssScore, type VulnerablePackage } from '../../../../output/registry/types.ts'
import type { Finding } from '../advisories.ts'
import { compareUnits } from '../versions/version-order.ts'
import { sortedVersions } from './affected-versions.ts'
import { severityOf } from './cvss.ts'
import type { OsvRecord } from './osv-record.ts'

/** The part of an advisory that a finding shows. */
export type Advisory = Pick<OsvRecord, 'id' | 'aliases' | 'upstream' | 'summary' | 'references' | 'scores'>

/** An advisory that affects a package. */
export interface AdvisoryHit {
  readonly advisory: Advisory
  /** The versions that mend the package. */
  readonly fixes: readonly string[]
}

/** Returns the scores of advisories by their ids. */
export type ScoresOf = (ids: readonly string[]) => readonly CvssScore[]

/**
 * Yields the findings about a package. Advisories about one vulnerability, which have an id in common among their own ids
 * and their aliases, are one finding.
 */
export function* findingsOf(
  found: VulnerablePackage,
  hits: readonly AdvisoryHit[],
  scoresOf: ScoresOf,
): Generator<Finding, undefined> {
  for (const group of grouped(hits)) yield findingOf(found, group, scoresOf)
}

function findingOf(found: VulnerablePackage, group: readonly AdvisoryHit[], scoresOf: ScoresOf): Finding {
  const advisories = group.map(({ advisory }) => advisory).sort((a, b) => compareIds(a.id, b.id))
  const ids = new Set(advisories.flatMap(identifiers))
  const others = new Set([...ids, ...advisories.flatMap(({ upstream }) => upstream)])
  for (const { id } of advisories) others.delete(id)
  const scores = [...advisories.flatMap(advisory => advisory.scores), ...scoresOf([...others])]
  const id = advisories[0]?.id ?? ''
  return {
    id,
    aliases: [...ids].filter(alias => alias !== id).sort(compareIds),
    severity: severityOf(scores),
    cvss: sortedScores(scores),
    package: found,
    fixed_versions: [
      ...sortedVersions(
        group.flatMap(({ fixes }) => fixes),
        found.ecosystem,
      ),
    ],
    summary: advisories.find(({ summary }) => summary !== '')?.summary ?? '',
    references: [...new Set(advisories.flatMap(({ references }) => references))],
  }
}

/**
 * Returns the ids of the vulnerability of an advisory. The advisory of a distribution about a single vulnerability is
 * about that vulnerability; an advisory about several is about no one of them.
 */
const identifiers = ({ aliases, id, upstream }: Advisory): readonly string[] =>
  upstream.length === 1 ? [id, ...aliases, ...upstream] : [id, ...aliases]

/** A vulnerability: all of its ids, and the advisories about it. */
interface Group {
  readonly ids: string[]
  readonly hits: AdvisoryHit[]
}

function grouped(hits: readonly AdvisoryHit[]): readonly (readonly AdvisoryHit[])[] {
  const groups = new Map<string, Group>()
  for (const hit of hits) {
    const group: Group = { ids: [...identifiers(hit.advisory)], hits: [hit] }
    const same = new Set(group.ids.map(id => groups.get(id)).filter(other => other !== undefined))
    for (const other of same) {
      group.ids.push(...other.ids)
      group.hits.unshift(...other.hits)
    }
    for (const id of group.ids) groups.set(id, group)
  }
  return [...new Set(groups.values())].map(group => group.hits)
}

/** The places of ids as in osv-scanner: those of distributions, which may be about several vulnerabilities; GitHub's last. */
const places: readonly RegExp[] = [/^(?:DSA|DLA|USN)-/, /^CVE-/, /^(?!GHSA-)/, /^/]

const placeOf = (id: string): number => places.findIndex(pattern => pattern.test(id))

const compareIds = (a: string, b: string): number => placeOf(a) - placeOf(b) || compareUnits(a, b)

/** Returns each score once, the newest version and the highest score first. */
function sortedScores(scores: readonly CvssScore[]): CvssScore[] {
  const once = new Map(scores.map(score => [score.vector, score]))
  return [...once.values()].sort((a, b) => compareUnits(b.version, a.version) || b.score - a.score)
}

const severityPlace = ({ severity }: Finding): number => severityValues.indexOf(severity)

/** The order of the findings of a report: the worst severity first, then by id, package and path. */
export const compareFindings = (a: Finding, b: Finding): number =>
  severityPlace(b) - severityPlace(a) ||
  compareUnits(a.id, b.id) ||
  compareUnits(a.package.name, b.package.name) ||
  compareUnits(a.package.version, b.package.version) ||
  compareUnits(a.package.path, b.package.path)
