import type { Secret } from '../../../output/vault/types.ts'
import type { Transaction } from '../../ports/store.ts'
import type { VaultEnvironment } from '../environment.ts'
import { removeExpired } from './remove-secret.ts'
import { isExpired } from './secret-expiry.ts'
import { secretCollection } from './secrets-store.ts'

/**
 * Deletes an expired secret with the name of a new secret, so that the name is free. The bytes of its payloads leave the
 * files of the store after the commit.
 */
export async function freeName(
  tx: Transaction,
  environment: VaultEnvironment,
  secret: Pick<Secret, 'workspace_id' | 'engine' | 'name'>,
  now: number,
): Promise<void> {
  const { engine, name, workspace_id } = secret
  const found = await tx.find(secretCollection, { workspace_id, engine, name })
  if (!found || !isExpired(found.value, now)) return
  const stored = await tx.lock(secretCollection, found.id)
  if (!stored || !isExpired(stored.value, now)) return
  await removeExpired(tx, environment, stored, now)
  tx.afterCommit(() => void environment.scrub())
}
