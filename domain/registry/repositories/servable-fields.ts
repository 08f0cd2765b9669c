import type { RepositoryUpdate } from '../../../output/registry/types.ts'
import { requireNative } from '../engines/distribution-engines.ts'

/**
 * Throws ENGINE_CAPABILITY_UNSUPPORTED for a field that the engine cannot serve: a cluster takes any manifest under any
 * tag from a caller with a token.
 */
export function requireServable(
  engine: string,
  { allowed_kinds = [], max_artifact_size_bytes = 0, tag_mutability }: RepositoryUpdate,
): void {
  if (tag_mutability === 'REGISTRY_TAG_MUTABILITY_IMMUTABLE')
    requireNative(engine, 'IMMUTABLE_TAGS', 'tag_mutability can be IMMUTABLE')
  if (allowed_kinds.length > 0) requireNative(engine, 'ALLOWED_KINDS', 'allowed_kinds can be set')
  if (max_artifact_size_bytes > 0) requireNative(engine, 'ARTIFACT_SIZES', 'max_artifact_size_bytes can be set')
}
