import type { Transaction } from '../../ports/store.ts'
import type { ManifestKind } from '../manifests/manifest.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { scanPolicyCollection } from '../scan-policies/scan-policies-store.ts'
import { waitingCollection, type WaitingScan } from './scans-store.ts'

/**
 * Lets a new artifact wait for its scan, in the transaction of its push, if a policy of the workspace scans what is
 * pushed; `id` is the id of its row. The worker decides later whether this policy counts for the repository.
 */
export async function awaitScan(
  tx: Transaction,
  { engine, id: repository_id, workspace_id }: StoredRepository,
  { digest, id, kind }: { readonly id: string; readonly digest: string; readonly kind: ManifestKind },
  since: string,
): Promise<void> {
  if (kind === 'ARTIFACT') return
  const onPush = { workspace_id, engine, enabled: true, trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH' } as const
  if (!(await tx.exists(scanPolicyCollection, onPush))) return
  await putWaiting(tx, { id, workspace_id, repository_id, digest, since, trigger: 'ON_PUSH' })
}

/**
 * Lets an artifact wait for its scan; an artifact that waits already keeps its place. The newer trigger counts, because
 * the policy of the older one may not be the one that counts for the repository.
 */
export async function putWaiting(tx: Transaction, waiting: WaitingScan): Promise<void> {
  const stored = await tx.lock(waitingCollection, waiting.id)
  if (!stored) await tx.insert(waitingCollection, waiting)
  else if (stored.value.trigger !== waiting.trigger)
    await tx.update(waitingCollection, waiting.id, { ...stored.value, trigger: waiting.trigger }, stored.version)
}
