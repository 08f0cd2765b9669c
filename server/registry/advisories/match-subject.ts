import type { VulnerablePackage } from '../../../output/registry/types.ts'
import type { Finding } from '../../../domain/registry/scanning/advisories.ts'
import { fixesOf } from '../../../domain/registry/scanning/osv/affected-versions.ts'
import { lookupKeys, writtenVersion } from '../../../domain/registry/scanning/osv/ecosystems.ts'
import { findingsOf, type AdvisoryHit } from '../../../domain/registry/scanning/osv/findings.ts'
import type { AdvisoryReader } from './advisory-reader.ts'

/** Yields the findings about a package, and undefined between pages of advisories, where the caller may pause. */
export function* matchSubject(
  reader: AdvisoryReader,
  subject: VulnerablePackage,
): Generator<Finding | undefined, undefined> {
  const { ecosystem, name } = subject
  const version = writtenVersion(ecosystem, subject.version)
  const hits: AdvisoryHit[] = []
  for (const key of lookupKeys(ecosystem, name)) {
    for (const rows of reader.affecting(key)) {
      for (const { affected, record } of rows) {
        const fixes = fixesOf(affected, ecosystem, version)
        if (fixes === undefined) continue
        const advisory = reader.advisory(record)
        if (advisory === undefined) continue
        hits.push({ advisory: { ...advisory, scores: [...advisory.scores, ...affected.scores] }, fixes })
      }
      yield undefined
    }
  }
  return yield* findingsOf(subject, hits, ids => reader.scoresOf(ids))
}
