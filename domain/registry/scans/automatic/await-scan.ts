import type { Transaction } from '../../../ports/store.ts'
import { rowOf } from '../../artifacts/artifacts-store.ts'
import type { ManifestKind } from '../../manifests/manifest.ts'
import type { StoredRepository } from '../../repositories/repositories-store.ts'
import { scanPolicyCollection } from '../../scan-policies/scan-policies-store.ts'
import { waitingCollection, type WaitingScan } from '../scans-store.ts'

/**
 * Lets a new artifact wait for its scan, in the transaction of its push, if a policy of the workspace scans what is
 * pushed. The worker decides later whether this policy counts for the repository.
 */
export async function awaitScan(
  tx: Transaction,
  { engine, id, workspace_id }: StoredRepository,
  { digest, kind }: { readonly digest: string; readonly kind: ManifestKind },
  since: string,
): Promise<void> {
  if (kind === 'ARTIFACT') return
  const onPush = { workspace_id, engine, enabled: true, trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH' } as const
  if (!(await tx.exists(scanPolicyCollection, onPush))) return
  await putWaiting(tx, { workspace_id, repository_id: id, digest, since, trigger: 'ON_PUSH' })
}

/**
 * Lets an artifact wait for its scan; an artifact that waits already keeps its place. The newer trigger counts, because
 * the policy of the older one may not be the one that counts for the repository.
 */
export async function putWaiting(tx: Transaction, waiting: Omit<WaitingScan, 'id'>): Promise<void> {
  const id = rowOf(waiting.repository_id, waiting.digest)
  const stored = await tx.lock(waitingCollection, id)
  if (!stored) await tx.insert(waitingCollection, { id, ...waiting })
  else if (stored.value.trigger !== waiting.trigger)
    await tx.update(waitingCollection, id, { ...stored.value, trigger: waiting.trigger }, stored.version)
}
