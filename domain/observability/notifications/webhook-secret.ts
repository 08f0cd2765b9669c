import { createHmac } from 'node:crypto'
import type { WebhookInput } from '../../../output/observability/types.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Vault } from '../../ports/vault.ts'

/** The purpose for which the vault encrypts the secrets of webhooks. */
const secretPurpose = 'observability.webhookSecret'

/**
 * Encrypts the secret of a webhook; undefined for a webhook without a secret. Returns ENGINE_UNAVAILABLE if the vault is
 * sealed.
 */
export function wrapSecret(
  vault: Pick<Vault, 'isSealed' | 'wrap'> | undefined,
  { secret }: Pick<WebhookInput, 'secret'>,
): string | ApiError | undefined {
  if (secret === undefined) return undefined
  if (vault !== undefined && !vault.isSealed) return vault.wrap(secretPurpose, Buffer.from(secret, 'utf8'))
  const message = 'the vault, which keeps the secrets of webhooks, is sealed; an operator must unseal it'
  return engineUnavailable(message, { retryAfterSeconds: 5 })
}

/**
 * Returns the header with the HMAC-SHA256 of a body under an encrypted secret. Rejects with an Error while the vault is
 * sealed.
 */
export async function signed(
  vault: Pick<Vault, 'isSealed' | 'unwrap'> | undefined,
  wrapped: string,
  bytes: Uint8Array,
): Promise<Readonly<Record<string, string>>> {
  if (vault === undefined || vault.isSealed) throw new Error('the vault, which keeps the secret, is sealed')
  const secret = await vault.unwrap(secretPurpose, wrapped)
  const digest = createHmac('sha256', secret).update(bytes).digest('hex')
  secret.fill(0)
  return { 'x-ninefold-signature': `sha256=${digest}` }
}
