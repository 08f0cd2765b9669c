import type { Secret } from '../../../output/vault/types.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { forgetRow } from '../../resources/references.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import { clearAgenda } from '../work/agenda.ts'
import { payloadCollection, secretVersionCollection } from './secret-versions-store.ts'
import { secretKind } from './secret-kind.ts'
import { secretCollection } from './secrets-store.ts'

/**
 * Deletes the versions, the payloads and the due work of a secret, in the transaction that deletes the secret. The
 * payloads are deleted first.
 */
export async function removeVersions(tx: Transaction, { id }: Pick<Secret, 'id'>): Promise<void> {
  for await (const row of tx.each(payloadCollection, { secret_id: id }))
    await tx.delete(payloadCollection, row.id, row.version)
  for await (const row of tx.each(secretVersionCollection, { secret_id: id })) {
    if (row.value.scheduled_destroy_time !== undefined) await clearAgenda(tx, row.id)
    await tx.delete(secretVersionCollection, row.id, row.version)
  }
  await clearAgenda(tx, id)
}

/**
 * Deletes a secret with its versions and all references from and to the secret, and returns its amount to the quota. The
 * transaction has locked the secret.
 */
export async function eraseSecret(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'consume'>,
  { id, value, version }: Stored<Secret>,
): Promise<void> {
  await forgetRow(tx, { type: secretKind.type, id })
  await removeVersions(tx, value)
  await tx.delete(secretCollection, id, version)
  await takeDifference(tx, taxonomy, value.workspace_id, secretKind.takes?.(value) ?? [], [])
}

/**
 * Deletes an expired secret, even if rows refer to the secret, and records the operation of the system principal. The
 * transaction has shared the organisation and locked the secret.
 */
export async function removeExpired(
  tx: Transaction,
  { operations, taxonomy }: Pick<Parts<VaultArea>, 'operations' | 'taxonomy'>,
  secret: Stored<Secret>,
): Promise<void> {
  await eraseSecret(tx, taxonomy, secret)
  const scope = workspaceScope(secret.value.workspace_id)
  await operations.begin(tx, { type: 'DELETE', resourceType: secretKind.type, resourceId: secret.id, scope })
}
