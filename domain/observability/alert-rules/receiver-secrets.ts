import type { AlertReceiver, AlertReceiverInput } from '../../../output/observability/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { deliveryId, receiverSecretCollection } from '../notifications/deliveries-store.ts'
import { wrapSecret } from '../notifications/webhook-secret.ts'

/** The encrypted secrets of receivers, keyed by the names of the receivers. */
export type WrappedSecrets = ReadonlyMap<string, string>

/**
 * Encrypts the secrets of webhooks in a body. Returns ENGINE_UNAVAILABLE if the vault is sealed and the body has a
 * secret.
 */
export function wrapSecrets(
  vault: Pick<Vault, 'isSealed' | 'wrap'> | undefined,
  receivers: readonly AlertReceiverInput[],
): WrappedSecrets | ApiError {
  const wrapped = new Map<string, string>()
  for (const { name, webhook } of receivers) {
    const secret = webhook && wrapSecret(vault, webhook)
    if (secret instanceof ApiError) return secret
    if (secret !== undefined) wrapped.set(name, secret)
  }
  return wrapped
}

/** Returns receivers without the secrets of their webhooks. */
export const withoutSecrets = (receivers: readonly AlertReceiverInput[]): AlertReceiver[] =>
  receivers.map(({ webhook, ...receiver }) => ({ ...receiver, ...(webhook && { webhook: { url: webhook.url } }) }))

/** Stores secrets of the receivers of a rule, in the transaction that writes the rule. */
export async function storeSecrets(
  tx: Transaction,
  { id: rule_id, receivers, workspace_id }: StoredAlertRule,
  wrapped: WrappedSecrets,
): Promise<void> {
  for (const { name, webhook } of receivers) {
    const id = deliveryId(rule_id, name)
    const stored = await tx.get(receiverSecretCollection, id)
    const secret = wrapped.get(name)
    // A secret belongs to a webhook: a receiver that becomes a recipient of e-mail has none.
    if (stored && (secret !== undefined || webhook === undefined))
      await tx.delete(receiverSecretCollection, id, stored.version)
    if (secret !== undefined) await tx.insert(receiverSecretCollection, { id, rule_id, workspace_id, wrapped: secret })
  }
}
