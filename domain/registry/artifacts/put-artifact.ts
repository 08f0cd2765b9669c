import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { protectedUntil, requireUnlocked } from '../locks/active-locks.ts'
import { artifactSize, childrenOf } from '../manifests/references.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { awaitScan } from '../scan-results/await-scan.ts'
import { setTag } from './artifact-tags.ts'
import { artifactCollection, manifestCollection, rowOf } from './artifacts-store.ts'
import { changeParents } from './child-parents.ts'
import { insertReferences } from './manifest-references.ts'
import { newArtifact, type PushedManifest } from './new-artifact.ts'
import { referenceFaults, requireAllowed, type ReferenceFaults } from './push-rules.ts'
import { requireMutable } from './tag-rules.ts'
import { tagCollection, tagId } from './tags-store.ts'

/**
 * Puts a manifest into a repository, whose row the transaction has locked (registry.md 4.1): checks the quotas, the kind
 * and the size, the rules of its tags and its references, then writes the artifact and moves the tags. Throws
 * QUOTA_EXCEEDED, ARTIFACT_KIND_NOT_ALLOWED, ARTIFACT_TOO_LARGE, TAG_IMMUTABLE and ARTIFACT_LOCKED; `refuse` throws if
 * something that the manifest names is not as it says.
 */
export async function putArtifact(
  { clock }: Pick<RegistryEnvironment, 'clock'>,
  tx: Transaction,
  locked: Stored<StoredRepository>,
  pushed: PushedManifest,
  { context, refuse }: { readonly context: CallContext; readonly refuse: (faults: ReferenceFaults) => void },
): Promise<void> {
  const { bytes, digest, manifest, tags } = pushed
  const time = formatMillis(context.now)
  const known = await tx.get(artifactCollection, rowOf(locked.id, digest))
  const moves = await movesOf(tx, locked.id, digest, tags)
  const newTags = moves.filter(({ before }) => before === '').length
  const growth = known ? {} : { artifacts: 1, bytes }
  const { value: repository } = await chargeUsage(tx, locked, { ...growth, tags: newTags, pushTime: time }, time)
  requireAllowed(repository, manifest, artifactSize(manifest, bytes))
  const moved = moves.filter(({ before }) => before !== '').map(({ name }) => name)
  requireMutable(repository, moved)
  await requireUnlocked(tx, locked.id, { tags: moved }, context.now)
  refuse(await referenceFaults(tx, locked.id, manifest))
  if (known) await tx.update(artifactCollection, known.id, { ...known.value, push_time: time }, known.version)
  else await insertArtifact(tx, locked.value, pushed, time)
  for (const name of tags) await setTag(tx, { repository_id: locked.id, name, digest, push_time: time })
  const about = { workspace: repository.workspace_id, repository, digest, bytes }
  const [first = ''] = tags
  if (!known) await recordAuditEvent(tx, clock, context, { action: 'PUSH', ...about, tag: first })
  for (const { name } of known ? moves : moves.slice(1))
    await recordAuditEvent(tx, clock, context, { action: 'TAG', ...about, tag: name })
}

/** A tag that did not point at the artifact before. */
interface Move {
  readonly name: string
  /** The digest at which it pointed; empty for a new tag. */
  readonly before: string
}

async function movesOf(
  tx: Transaction,
  repository: string,
  digest: string,
  tags: readonly string[],
): Promise<readonly Move[]> {
  const moves: Move[] = []
  for (const name of tags) {
    const before = (await tx.get(tagCollection, tagId(repository, name)))?.value.digest ?? ''
    if (before !== digest) moves.push({ name, before })
  }
  return moves
}

async function insertArtifact(
  tx: Transaction,
  repository: StoredRepository,
  pushed: PushedManifest,
  time: string,
): Promise<void> {
  const { id, workspace_id } = repository
  const { digest, manifest, text } = pushed
  const row_id = rowOf(id, digest)
  // A lock that has ended protects the digest again if its end is changed.
  const locked_until = await protectedUntil(tx, id, digest)
  await tx.insert(artifactCollection, { ...newArtifact(id, pushed, time), row_id, workspace_id, locked_until })
  await tx.insert(manifestCollection, { id: row_id, text })
  await insertReferences(tx, id, digest, manifest)
  await changeParents(tx, id, childrenOf(manifest), before => [...before, digest])
  await awaitScan(tx, repository, { id: row_id, digest, kind: manifest.kind }, time)
}
