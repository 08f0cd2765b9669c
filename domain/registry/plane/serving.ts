import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { RegistryEnvironment } from '../environment.ts'

/** Throws ENGINE_UNAVAILABLE on a server without the blob store. */
export async function requireServing({
  isOfOneHost,
  lease,
}: Pick<RegistryEnvironment, 'isOfOneHost' | 'lease'>): Promise<void> {
  if (!isOfOneHost || (await lease.isServing())) return
  throw engineUnavailable('another server of the platform serves the blobs', { retryAfterSeconds: 5 })
}
