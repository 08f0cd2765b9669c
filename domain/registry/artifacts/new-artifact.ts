import type { Artifact } from '../../../output/registry/types.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { ImageFacts } from '../manifests/image-config.ts'
import type { ParsedManifest } from '../manifests/parse-manifest.ts'
import { artifactSize, typeOfArtifact } from '../manifests/references.ts'
import { unscanned } from '../scan-results/unscanned.ts'

/** A manifest that is pushed. */
export interface PushedManifest extends ParsedManifest {
  readonly digest: string
  /** The number of its bytes. */
  readonly bytes: number
  /** The tags that point at it from now on. */
  readonly tags: readonly string[]
  readonly facts: ImageFacts
  /** The id of the principal that pushes; undefined for an anonymous caller. */
  readonly principalId: string | undefined
}

/** Returns the artifact of a new manifest as lists answer it, without tags, in a repository. */
export function newArtifact(
  repository_id: string,
  { bytes, digest, facts, manifest, principalId = systemPrincipalId }: PushedManifest,
  push_time: string,
): Artifact {
  const { image_created_time, platform } = facts
  return {
    id: digest,
    digest,
    repository_id,
    media_type: manifest.mediaType,
    artifact_type: typeOfArtifact(manifest),
    kind: `REGISTRY_ARTIFACT_KIND_${manifest.kind}`,
    size_bytes: artifactSize(manifest, bytes),
    manifest_size_bytes: bytes,
    tag_count: 0,
    tags: [],
    ...(platform && { platform: { ...platform } }),
    children: [],
    parents: [],
    layers: [],
    config_digest: manifest.config?.digest ?? '',
    ...(image_created_time !== undefined && { image_created_time }),
    annotations: {},
    subject: manifest.subject?.digest ?? '',
    referrers: [],
    push_time,
    pushed_by_principal_id: principalId,
    pull_count: 0,
    locked: false,
    lock_ids: [],
    scan_overview: unscanned,
  }
}
