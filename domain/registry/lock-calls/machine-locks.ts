import type { Clock } from '../../ports/clock.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { artifactCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { withChildren } from './locked-artifact.ts'
import { machineType } from '../locks/lock-kind.ts'
import { lockCollection, type StoredLock } from '../locks/locks-store.ts'
import { protect, release } from './protect.ts'

/** A machine whose boot disk comes from an artifact. */
export interface MachineHolder {
  readonly id: string
  readonly workspace_id: string
}

/**
 * Locks an artifact for a machine, in the transaction of the caller, which has shared the organisations of both. Returns
 * false if the repository has no such artifact, or is being deleted.
 */
export async function lockDigest(
  tx: Transaction,
  clock: Clock,
  repository: string,
  digest: string,
  holder: MachineHolder,
): Promise<boolean> {
  const stored = await tx.lock(repositoryCollection, repository)
  if (!stored || stored.value.state === 'REGISTRY_REPOSITORY_STATE_DELETING') return false
  if (!(await tx.get(artifactCollection, rowOf(repository, digest)))) return false
  const lock = machineLock(stored.value, digest, await withChildren(tx, repository, digest), { clock, holder })
  await tx.insert(lockCollection, lock)
  await protect(tx, lock, false)
  await record(tx, clock, 'LOCK', stored.value, digest)
  return true
}

/** Ends the locks of a machine, in the transaction of the caller. Does nothing for a machine without locks. */
export async function unlock(tx: Transaction, clock: Clock, holder: string): Promise<void> {
  const held: Stored<StoredLock>[] = []
  const where = { 'holder.type': machineType, 'holder.id': holder } as const
  for await (const stored of tx.each(lockCollection, where)) held.push(stored)
  for (const { id, value, version } of held) {
    const repository = await tx.lock(repositoryCollection, value.repository_id)
    await release(tx, value)
    await tx.delete(lockCollection, id, version)
    if (repository) await record(tx, clock, 'UNLOCK', repository.value, value.digest)
  }
}

function machineLock(
  { id: repository_id, workspace_id }: StoredRepository,
  digest: string,
  protected_digests: string[],
  { clock, holder }: { readonly clock: Clock; readonly holder: MachineHolder },
): StoredLock {
  const standard = standardMembers(clock, { now: clock.now() })
  return {
    ...standard,
    name: `lock-${standard.id}`,
    reference: digest,
    digest,
    protected_digests,
    holder: { type: machineType, id: holder.id },
    reason: `virtual machine ${holder.id} boots from it`,
    protect_tags: false,
    state: 'REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE',
    created_by_principal_id: systemPrincipalId,
    workspace_id,
    repository_id,
    holder_workspace_id: holder.workspace_id,
  }
}

const record = (
  tx: Transaction,
  clock: Clock,
  action: 'LOCK' | 'UNLOCK',
  repository: StoredRepository,
  digest: string,
): Promise<void> =>
  recordAuditEvent(tx, clock, undefined, { action, workspace: repository.workspace_id, repository, digest })
