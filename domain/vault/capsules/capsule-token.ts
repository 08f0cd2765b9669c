import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns a new token: `cap1.` and 256 random bits in base64url. */
export const newToken = (): string => `cap1.${randomBytes(32).toString('base64url')}`

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Returns the digest of a token, in hex, which is stored in place of the token. */
export const storedDigest = (token: string): string => digestOf(token).toString('hex')

/** Whether a token has the stored digest. The time of the comparison does not depend on the token. */
export const fitsToken = (token: string, digest: string): boolean =>
  timingSafeEqual(digestOf(token), Buffer.from(digest, 'hex'))

/**
 * Returns the commitment to a payload: only a holder of the token can check which payload a capsule held (vault.md 1).
 */
export const commitmentOf = (token: string, payload: Uint8Array): string =>
  createHash('sha256').update(token).update(Buffer.of(0)).update(payload).digest('hex')
