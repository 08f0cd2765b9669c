import { artifactHasOtherTags, tagNotFound } from '../../../output/registry/errors.ts'
import type { DeleteTagRequest, ParsedDeleteArtifactRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import { isDenied, permissionOf } from '../access/decide.ts'
import { tagNamesOf } from '../artifacts/artifact-tags.ts'
import { deleteArtifact, untag } from '../artifacts/delete-artifact.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { tagCollection, tagId } from '../artifacts/tags-store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireReference } from '../lock-calls/locked-artifact.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { requireChangeable } from '../repositories/repository-kind.ts'
import { absentArtifact } from './get-artifact.ts'
import { lockCalled } from './lock-called.ts'

/**
 * Deletes an artifact by its digest with all its tags, or by its only tag; with `force` by one of several tags (registry.md
 * 3). Throws REFERENCE_INVALID, ARTIFACT_NOT_FOUND, REPOSITORY_DELETING, ARTIFACT_HAS_OTHER_TAGS, ARTIFACT_LOCKED,
 * ARTIFACT_REFERENCED, TAG_IMMUTABLE, and IAM_PERMISSION_DENIED if an access policy denies the deletion.
 */
export function deleteArtifactCall(
  environment: RegistryEnvironment,
  request: ParsedDeleteArtifactRequest,
  context: CallContext,
) {
  const { clock, operations, taxonomy } = environment
  const { force, reference, workspace } = request
  requireReference(reference)
  return operations.mutate(context, request, async tx => {
    const locked = await lockCalled(environment, tx, request)
    const found = await findArtifact(tx, locked.id, reference)
    if (!found) throw absentArtifact(locked.id, reference)
    await taxonomy.checkActive(tx, workspace)
    requireChangeable(locked.value)
    const { digest } = found.artifact.value
    const names = await tagNamesOf(tx, locked.id, digest)
    await requireUndenied(environment, tx, context, locked.value, names)
    if (found.tag && names.length > 1 && !force) throw otherTags(digest, names.length)
    await deleteArtifact(environment, tx, locked, { ...found.artifact.value, names }, context.now)
    const about = { workspace, repository: locked.value, digest, tag: found.tag?.name ?? '' }
    await recordAuditEvent(tx, clock, context, { action: 'DELETE', ...about })
    return effectOn('registry.artifacts', `${locked.id}/${digest}`, workspace)
  })
}

/**
 * Deletes a tag that points at the artifact of the path now. Throws REFERENCE_INVALID, TAG_NOT_FOUND,
 * REPOSITORY_DELETING, ARTIFACT_LOCKED, TAG_IMMUTABLE, and IAM_PERMISSION_DENIED if an access policy denies it.
 */
export function deleteTagCall(environment: RegistryEnvironment, request: DeleteTagRequest, context: CallContext) {
  const { clock, operations, taxonomy } = environment
  const { reference, tag: name, workspace } = request
  requireReference(reference)
  return operations.mutate(context, request, async tx => {
    const locked = await lockCalled(environment, tx, request)
    const tag = (await tx.get(tagCollection, tagId(locked.id, name)))?.value
    const digest = (await findArtifact(tx, locked.id, reference))?.artifact.value.digest
    if (!tag || tag.digest !== digest) throw absentTag(locked.id, name)
    await taxonomy.checkActive(tx, workspace)
    requireChangeable(locked.value)
    await requireUndenied(environment, tx, context, locked.value, [name])
    await untag(tx, locked, tag, context.now)
    const about = { workspace, repository: locked.value, digest, tag: name }
    await recordAuditEvent(tx, clock, context, { action: 'UNTAG', ...about })
    return effectOn('registry.tags', tag.id, workspace)
  })
}

const effectOn = (resourceType: 'registry.artifacts' | 'registry.tags', resourceId: string, workspace: string) => ({
  type: 'DELETE' as const,
  resourceType,
  resourceId,
  scope: workspaceScope(workspace),
})

async function requireUndenied(
  environment: RegistryEnvironment,
  tx: Transaction,
  context: CallContext,
  place: StoredRepository,
  tags: readonly string[],
): Promise<void> {
  if (!(await isDenied(environment, tx, { context, place, action: 'DELETE', tags }))) return
  throw permissionDenied(permissionOf.DELETE, workspaceScope(place.workspace_id))
}

function otherTags(digest: string, count: number) {
  const description = `must have no other tag; it has ${count}`
  return artifactHasOtherTags(`artifact ${digest} ${description}; delete the tag, or set force`, {
    precondition: [{ type: 'TAGS', subject: digest, description }],
  })
}

const absentTag = (repository: string, tag: string) =>
  tagNotFound(`the tag ${tag.slice(0, 80)} does not point at the artifact`, {
    resource: { type: 'registry.tags', name: `${repository}/${tag.slice(0, 128)}` },
  })
