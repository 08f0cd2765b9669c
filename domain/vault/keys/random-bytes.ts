import { randomBytes } from 'node:crypto'
import type { CryptoKeyHandlers } from '../../../output/vault/handlers.ts'
import type { VaultEnvironment } from '../environment.ts'
import { crc32c } from '../../resources/crc32c.ts'

/** Returns the call that generates random bytes, which needs no key and works in a sealed vault. */
export function randomBytesCall({ store, taxonomy }: VaultEnvironment): Pick<CryptoKeyHandlers, 'generateRandomBytes'> {
  return {
    async generateRandomBytes({ body, workspace }) {
      await taxonomy.checkActive(store, workspace)
      const bytes = randomBytes(body.length_bytes)
      return { data: bytes.toString('base64'), data_crc32c: crc32c(bytes) }
    },
  }
}
