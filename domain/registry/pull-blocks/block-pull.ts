import { vulnerableArtifactBlocked } from '../../../output/registry/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { StoredArtifact } from '../artifacts/artifacts-store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { effectivePolicy } from '../scan-policies/effective-policy.ts'
import { scanCollection } from '../scan-results/scans-store.ts'
import type { Verdict } from './verdicts.ts'

type Judging = Pick<RegistryEnvironment, 'store' | 'verdicts'>

/** Returns what the scan policies of the moment say about an artifact, whose time is in milliseconds since 1970. */
export async function verdictOn(
  { store, verdicts }: Judging,
  repository: StoredRepository,
  { kind, row_id }: StoredArtifact,
  now: number,
): Promise<Verdict> {
  const effective = await effectivePolicy(store, repository)
  const scan = effective && (await store.get(scanCollection, row_id))?.value
  return verdicts.of(store, effective, { isImage: kind !== 'REGISTRY_ARTIFACT_KIND_ARTIFACT', scan }, now)
}

/** Throws VULNERABLE_ARTIFACT_BLOCKED if a scan policy blocks the pull of an artifact (registry.md 4.7). */
export async function requirePullable(
  parts: Judging,
  repository: StoredRepository,
  artifact: StoredArtifact,
  now: number,
): Promise<void> {
  const { isBlocked, severity } = await verdictOn(parts, repository, artifact, now)
  if (!isBlocked) return
  if (severity === undefined)
    throw vulnerableArtifactBlocked('a scan policy blocks artifacts without a scan report; scan the artifact first')
  const error = vulnerableArtifactBlocked('a scan policy blocks the artifact for a vulnerability; see its scan report')
  throw new ApiError(error, error.message, { severity })
}
