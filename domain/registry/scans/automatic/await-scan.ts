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

/** Lets an artifact wait for its scan; an artifact that waits already keeps its place. */
export async function putWaiting(tx: Transaction, waiting: Omit<WaitingScan, 'id'>): Promise<void> {
  const id = rowOf(waiting.repository_id, waiting.digest)
  if (!(await tx.get(waitingCollection, id))) await tx.insert(waitingCollection, { id, ...waiting })
}
