import {
  rowOf,
  artifactCollection,
  type StoredArtifact,
} from '../../../../domain/registry/artifacts/artifacts-store.ts'
import { tagCollection, tagId } from '../../../../domain/registry/artifacts/tags-store.ts'
import {
  repositoryCollection,
  type StoredRepository,
} from '../../../../domain/registry/repositories/repositories-store.ts'
import { unscanned } from '../../../../domain/registry/scan-results/unscanned.ts'
import type { Aim } from '../../aim.ts'
import type { Fault } from '../../recipe.ts'
import type { World } from '../../world.ts'

/** Creates a repository in a new workspace; returns the path below which its content stands. */
export async function newRepository({ newName, newPlace, run }: World): Promise<Aim['path']> {
  const path = { workspace: (await newPlace()).workspace, engine: 'native' }
  return { ...path, repository: await run('createRepository', { path, body: { name: newName(), region: 'local1' } }) }
}

/** Changes the row of a repository, without an update by a call. */
export const withRepository = async (
  { store }: World,
  id: string,
  members: Partial<StoredRepository>,
): Promise<StoredRepository> =>
  store.tx(async tx => {
    const stored = await tx.lock(repositoryCollection, id)
    if (!stored) throw new Error('there is no such repository')
    return (await tx.update(repositoryCollection, id, { ...stored.value, ...members }, stored.version)).value
  })

/** Makes the fault that a repository is being deleted; by default the repository in the path. */
export const deleting = (idOf: (aim: Aim) => string = ({ path }) => path['repository'] ?? ''): Fault => ({
  reason: 'REPOSITORY_DELETING',
  async apply(aim, world) {
    await withRepository(world, idOf(aim), { state: 'REGISTRY_REPOSITORY_STATE_DELETING' })
    return aim
  },
})

let artifacts = 0

/** Inserts an artifact with a tag into a repository, as pushes do; returns the digest. */
export async function newArtifact(world: World, repository: string, tag: string): Promise<string> {
  const digest = `sha256:${String((artifacts += 1)).padStart(64, '0')}`
  const { workspace_id } = await withRepository(world, repository, { artifact_count: 1, tag_count: 1 })
  const push_time = new Date().toISOString()
  const artifact: StoredArtifact = {
    row_id: rowOf(repository, digest),
    workspace_id,
    locked_until: '',
    id: digest,
    digest,
    repository_id: repository,
    media_type: 'application/vnd.oci.image.manifest.v1+json',
    artifact_type: '',
    kind: 'REGISTRY_ARTIFACT_KIND_IMAGE',
    size_bytes: 0,
    manifest_size_bytes: 0,
    tag_count: 1,
    tags: [{ name: tag, push_time, immutable: false }],
    children: [],
    parents: [],
    layers: [],
    config_digest: '',
    annotations: {},
    subject: '',
    referrers: [],
    push_time,
    pushed_by_principal_id: world.admin.id,
    pull_count: 0,
    locked: false,
    lock_ids: [],
    scan_overview: unscanned,
  }
  await world.store.tx(async tx => {
    await tx.insert(artifactCollection, artifact)
    const row = { id: tagId(repository, tag), repository_id: repository, name: tag, digest, push_time }
    await tx.insert(tagCollection, row)
  })
  return digest
}
