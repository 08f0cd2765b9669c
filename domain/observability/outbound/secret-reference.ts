import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { dropReference, type Target } from '../../resources/references.ts'
import { secretPlace } from './secret-payloads.ts'

/** The secret that a field of a resource names, and the secret that it named before. */
export interface SecretChange {
  readonly workspace: string
  readonly wanted: string | undefined
  readonly used: string | undefined
  readonly field: string
}

/**
 * Records that a resource uses the secret that it names, and no longer the secret that it named before. Throws
 * FIELD_INVALID if the workspace has no such secret.
 */
export async function referToSecret(
  vault: Pick<Vault, 'useSecret'> | undefined,
  tx: Transaction,
  holder: Target,
  { field, used, wanted, workspace }: SecretChange,
): Promise<void> {
  if (wanted === used) return
  if (used !== undefined) await dropReference(tx, { type: 'vault.secrets', id: used }, holder)
  if (wanted === undefined) return
  if (await vault?.useSecret(tx, secretPlace(wanted, workspace), holder)) return
  throw fieldInvalid([{ field, description: 'names no secret of the workspace' }])
}
