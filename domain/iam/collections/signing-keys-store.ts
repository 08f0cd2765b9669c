import type { Collection } from '../../ports/store.ts'

/**
 * The public key of a key pair with which one server signs access tokens. The private key exists only in the memory of
 * that server.
 */
export interface StoredSigningKey {
  /** The `kid` of the tokens, a UUIDv7. */
  readonly id: string
  /** The public key as a JWK of RFC 8037. */
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  /**
   * The time from which no token that was signed with the key is valid any more, with a margin for the clocks of
   * servers.
   */
  readonly not_after: string
}

export const signingKeys: Collection<StoredSigningKey> = {
  name: 'iam_signing_keys',
  id: 'id',
  columns: { not_after: 'TIMESTAMP' },
  indexes: [['not_after']],
}
