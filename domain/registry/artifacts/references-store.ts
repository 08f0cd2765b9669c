import type { Collection } from '../../ports/store.ts'

/** The way in which a manifest names a digest: as a child of an index, as a config or layer, or as its subject. */
export type ReferenceKind = 'CHILD' | 'BLOB' | 'SUBJECT'

/** The row of a digest that a manifest names. */
export interface StoredReference {
  /** The ids of repository, manifest, kind and target, joined by slashes. */
  readonly id: string
  readonly repository_id: string
  /** The digest of the manifest that names the target. */
  readonly digest: string
  readonly kind: ReferenceKind
  readonly target: string
  /** The type of the manifest, by which referrers are filtered; empty unless the kind is SUBJECT. */
  readonly artifact_type: string
}

/** The digests that the manifests of all repositories name. */
export const referenceCollection: Collection<StoredReference> = {
  name: 'registry_manifest_references',
  id: 'id',
  columns: {
    repository_id: 'STRING',
    digest: 'STRING',
    kind: 'STRING',
    target: 'STRING',
    artifact_type: 'STRING',
  },
  indexes: [
    ['repository_id', 'digest'],
    ['repository_id', 'kind', 'target'],
    ['repository_id', 'kind', 'target', 'artifact_type'],
    ['kind', 'target'],
  ],
}
