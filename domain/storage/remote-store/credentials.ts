import { engineUnavailable } from '../../../output/shared/errors.ts'
import { storageClassProbeFailed } from '../../../output/storage/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { platformWorkspaceId } from '../../ports/reserved.ts'
import type { Vault } from '../../ports/vault.ts'
import type { RemoteCredentials } from './remote-store.ts'

/** Returns the place of the secret with the keys of an account: in the workspace of the platform. */
export const credentialsPlace = (secret_id: string) => ({
  workspace: platformWorkspaceId,
  engine: 'native',
  secret_id,
})

/**
 * Reads the keys of an account from a secret. Throws STORAGE_CLASS_PROBE_FAILED for a secret that is no JSON object with
 * both keys, and ENGINE_UNAVAILABLE while the vault is sealed or if the secret cannot be read.
 */
export async function readCredentials(
  vault: Pick<Vault, 'isSealed' | 'readSecret'> | undefined,
  secretId: string,
): Promise<RemoteCredentials> {
  if (vault === undefined || vault.isSealed)
    throw engineUnavailable(
      'the vault, which keeps the keys of S3 stores, is sealed; an operator must unseal the vault',
      { retryAfterSeconds: 5 },
    )
  const { bytes } = await vault
    .readSecret(undefined, { ...credentialsPlace(secretId), version: 'latest' })
    .catch((error: unknown) => {
      const reason = error instanceof ApiError ? error.reason : 'INTERNAL'
      throw engineUnavailable(`the keys of the S3 store cannot be read from the vault (${reason})`, {
        retryAfterSeconds: 30,
      })
    })
  const text = new TextDecoder().decode(bytes)
  bytes.fill(0)
  const found = parsed(text)
  if (found) return found
  const description = 'must be a JSON object with the texts access_key_id and secret_access_key'
  throw storageClassProbeFailed(`the secret ${secretId} ${description}`, {
    precondition: [{ type: 'CREDENTIALS', subject: secretId, description }],
  })
}

function parsed(text: string): RemoteCredentials | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return undefined
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = value
    const isWhole = typeof accessKeyId === 'string' && typeof secretAccessKey === 'string'
    return isWhole && accessKeyId !== '' && secretAccessKey !== '' ? { accessKeyId, secretAccessKey } : undefined
  } catch {
    return undefined
  }
}
