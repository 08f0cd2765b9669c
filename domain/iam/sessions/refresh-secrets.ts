import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A refresh token: the id of its session, and the secret. */
export interface RefreshToken {
  readonly tokenId: string
  /**
   * 256 random bits as 43 characters of base64url. The digest is computed from the text, so that two texts for the same
   * bits are two secrets.
   */
  readonly secret: string
}

const shape = /^rt1\.([\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})\.([\w-]{43})$/

/** Parses a refresh token; returns undefined for any other text. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, tokenId, secret] = shape.exec(text) ?? []
  return tokenId === undefined || secret === undefined ? undefined : { tokenId, secret }
}

export const formatRefreshToken = ({ secret, tokenId }: RefreshToken): string => `rt1.${tokenId}.${secret}`

export const newSecret = (): string => randomBytes(32).toString('base64url')

export const newSalt = (): string => randomBytes(32).toString('base64url')

/** Returns the next secret, which the secret and the salt together determine (iam.md 4.7). */
export const successorOf = (secret: string, salt: string): string =>
  createHmac('sha256', secret).update(`rt-next${salt}`).digest('base64url')

/** Returns the stored digest of a secret: SHA-256 in hex. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Returns whether two digests are equal; compares in constant time. */
export const isSameDigest = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))
