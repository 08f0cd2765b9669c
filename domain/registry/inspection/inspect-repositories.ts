import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { workspacePurge } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import { tagCollection } from '../artifacts/tags-store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import { quotas, quotaScope, storedBytes } from '../quotas/quotas.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { repositoryDeletion } from '../repository-calls/delete-content.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that repositories have the counts and bytes of their content, the state of their usage, and end their deletion. */
export async function* inspectRepositories(inspection: Inspection): Findings {
  const { reader } = inspection
  for await (const { id, value } of reader.each(repositoryCollection)) {
    const deletion = value.state === 'REGISTRY_REPOSITORY_STATE_DELETING'
    // The counts of a repository that is being deleted are those from before the deletion.
    const faults = deletion
      ? await workFaults(inspection, value)
      : [...(await countFaults(reader, value)), ...(await stateFaults(reader, value))]
    for (const message of faults) yield { resourceType: repositoryKind.type, id, message }
  }
}

async function countFaults(reader: Reader, repository: StoredRepository): Promise<readonly string[]> {
  const where = { repository_id: repository.id }
  const manifests = await reader.sum(artifactCollection, 'manifest_size_bytes', where)
  const counts = {
    artifact_count: await reader.count(artifactCollection, where),
    tag_count: await reader.count(tagCollection, where),
    size_bytes: manifests + (await reader.sum(linkCollection, 'size', where)),
  }
  return (['artifact_count', 'tag_count', 'size_bytes'] as const)
    .filter(name => repository[name] !== counts[name])
    .map(name => `has ${name} ${repository[name]}; its content makes ${counts[name]}`)
}

async function stateFaults(reader: Reader, { state, workspace_id }: StoredRepository): Promise<readonly string[]> {
  const scope = quotaScope(workspace_id)
  const limit = await quotas.limitOf(reader, 'registry.storageBytes', scope, {})
  const usage = await storedBytes(reader, scope)
  const isOver = limit >= 0 && usage > limit
  if (isOver === (state === 'REGISTRY_REPOSITORY_STATE_READ_ONLY')) return []
  return [`is ${state}, but its workspace stores ${usage} bytes of a limit of ${limit}`]
}

async function workFaults({ workAt }: Inspection, { id, workspace_id }: StoredRepository): Promise<readonly string[]> {
  const works = await workAt(workspaceScope(workspace_id))
  const isWorkedOn = works.some(
    ({ input, kind }) =>
      kind === workspacePurge || (kind === repositoryDeletion && Reflect.get(input, 'repository') === id),
  )
  return isWorkedOn ? [] : ['is being deleted, and no work will end it']
}
