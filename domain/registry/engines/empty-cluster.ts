import type { Cluster, ClusterManifest } from './cluster.ts'
import type { DistributionEngines } from './distribution-engines.ts'

/** A repository of any engine. */
interface EngineRepository {
  readonly engine: string
  /** The name in image references: `acme/web/app`. */
  readonly path: string
}

/** The number of times that the tags of a repository are read: clients with older tokens may push meanwhile. */
const mostRounds = 5

/** The result of the deletion of the content of a repository. */
export type Emptied = 'empty' | 'stopped' | 'refused'

/**
 * Deletes the content of a repository in its cluster: the manifests that tags name, with the children of indexes. A
 * manifest without a tag that no such index names stays, because a cluster does not list it; no token for the repository
 * is issued any more. A repository of the native engine, and of an engine that the settings no longer have, has no cluster
 * and counts as empty. Returns `stopped` once the signal is aborted, and `refused` if the cluster deletes nothing by its
 * settings, or still has tags after all deletions. Throws ENGINE_UNAVAILABLE.
 */
export async function emptyRepository(
  engines: DistributionEngines,
  { engine, path }: EngineRepository,
  signal?: AbortSignal,
): Promise<Emptied> {
  const cluster = engines.get(engine)?.cluster
  if (!cluster) return 'empty'
  for (let round = 0; round < mostRounds; round += 1) {
    let isFound = false
    for (const tag of await cluster.tags(path)) {
      if (signal?.aborted === true) return 'stopped'
      const manifest = await cluster.manifest(path, tag)
      // The tag may be gone with its manifest, which had several tags.
      if (!manifest) continue
      isFound = true
      if (!(await deleteTree(cluster, path, manifest))) return 'refused'
    }
    if (!isFound) return 'empty'
  }
  return 'refused'
}

/** Deletes a manifest, and then the manifests below it. Returns false if the cluster deletes nothing. */
async function deleteTree(cluster: Cluster, repository: string, root: ClusterManifest): Promise<boolean> {
  const left = [root]
  const seen = new Set<string>()
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!(await cluster.deleteManifest(repository, next.digest))) return false
    for (const digest of next.children) {
      if (seen.has(digest)) continue
      seen.add(digest)
      const child = await cluster.manifest(repository, digest)
      if (child) left.push(child)
    }
  }
  return true
}
