import type { CallContext } from '../../../runtime/context.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { decide } from '../access/decide.ts'
import { tagNamesOf } from '../artifacts/artifact-tags.ts'
import { deleteArtifact, untag } from '../artifacts/delete-artifact.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { lockShrinkingRepository } from '../repositories/lock-repository.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { denied } from './oci-errors.ts'
import { allowedCall, type PlaneReply } from './plane-call.ts'
import { manifestActivity } from './push-activity.ts'
import { requireArtifact, unknownManifest } from './read-manifest.ts'

/** Deletes a manifest with its tags, or only the tag that the path names (end-9). */
export async function deleteManifest(
  environment: RegistryEnvironment,
  { reference }: { readonly reference: string },
  context: CallContext,
): Promise<PlaneReply> {
  const { audit, store, taxonomy } = environment
  const { context: caller, repository } = allowedCall(context)
  const { artifact, tag } = await requireArtifact(environment, repository.id, reference)
  const { digest } = artifact.value
  const tags = tag ? [tag.name] : await tagNamesOf(store, repository.id, digest)
  const question = { context: caller, place: repository.value, action: 'DELETE', tags } as const
  if (tags.length > 0 && !(await decide(environment, store, question))) throw denied()
  await store.tx(async tx => {
    const locked = await lockShrinkingRepository(tx, taxonomy, repository.value)
    if (!locked) throw unknownManifest()
    const deleted = await remove(environment, tx, locked, reference, caller)
    await audit.recordActivity(tx, manifestActivity(caller, locked.value, deleted, 'deleteManifest'))
  })
  return { status: 202 }
}

/** Deletes what a reference names now, and returns the digest. */
async function remove(
  environment: RegistryEnvironment,
  tx: Transaction,
  locked: Stored<StoredRepository>,
  reference: string,
  context: CallContext,
): Promise<string> {
  const found = await findArtifact(tx, locked.id, reference)
  if (!found) throw unknownManifest()
  const { artifact, tag } = found
  const { digest } = artifact.value
  if (tag) await untag(tx, locked, tag, context.now)
  else await deleteArtifact(environment, tx, locked, artifact.value, context.now)
  await recordAuditEvent(tx, environment.clock, context, {
    action: tag ? 'UNTAG' : 'DELETE',
    workspace: locked.value.workspace_id,
    repository: locked.value,
    digest,
    tag: tag?.name ?? '',
  })
  return digest
}
