/** A manifest that a cluster has. */
export interface ClusterManifest {
  readonly digest: string
  /** The digests of the manifests that an index names; empty for another manifest. */
  readonly children: readonly string[]
}

/**
 * The calls of the platform to a cluster. A repository has the name in image references, `acme/web/app`. Each call throws
 * ENGINE_UNAVAILABLE if the cluster does not answer, or refuses the token of the platform.
 */
export interface Cluster {
  /** Returns the first tags of a repository; none for a repository that the cluster does not have. */
  tags(repository: string): Promise<readonly string[]>
  /** Returns the manifest that a tag or a digest names; undefined if there is none. */
  manifest(repository: string, reference: string): Promise<ClusterManifest | undefined>
  /** Deletes a manifest with its tags. Returns false if the cluster refuses deletions by its settings. */
  deleteManifest(repository: string, digest: string): Promise<boolean>
}
