import { artifactsList } from '../../../output/registry/filters.ts'
import type { Artifact } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The row of an artifact. Its text is the answer of a list: `children`, `layers`, `annotations` and `referrers` are
 * empty, `tags` has the newest 100 with `immutable` false, and `locked` is false. A read fills what the settings of the
 * repository and the time decide.
 */
export interface StoredArtifact extends Artifact {
  /** The id of the row: the id of the repository, a slash and the digest. */
  readonly row_id: string
  readonly workspace_id: string
  /** The time until which deployment locks protect the artifact: empty without a lock, `9999-...` without an end. */
  readonly locked_until: string
}

/** The artifacts of all repositories. */
export const artifactCollection: Collection<StoredArtifact> = {
  name: 'registry_artifacts',
  id: 'row_id',
  list: artifactsList,
  listedBelow: 'repository_id',
  columns: {
    workspace_id: 'STRING',
    repository_id: 'STRING',
    locked_until: 'STRING',
    tag_count: 'INTEGER',
    manifest_size_bytes: 'INTEGER',
  },
  hidden: ['row_id', 'workspace_id', 'locked_until'],
  indexes: [
    ['workspace_id'],
    ['repository_id', 'size_bytes'],
    ['repository_id', 'last_pull_time'],
    ['repository_id', 'digest'],
  ],
}

/** Returns the id of the row of an artifact, of its manifest and of a link to a blob. */
export const rowOf = (repository: string, digest: string): string => `${repository}/${digest}`

/** The bytes of a manifest. */
export interface StoredManifest {
  /** The id of the row of the artifact. */
  readonly id: string
  /** The manifest as UTF-8 text, byte for byte. */
  readonly text: string
}

/** The manifests of all artifacts. */
export const manifestCollection: Collection<StoredManifest> = { name: 'registry_manifests', id: 'id' }
