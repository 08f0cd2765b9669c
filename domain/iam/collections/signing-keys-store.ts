import type { Collection } from '../../ports/store.ts'

/** The public half of a pair that one server signs access tokens with. The private half is in its memory alone. */
export interface StoredSigningKey {
  /** The `kid` of the tokens, a UUIDv7. */
  readonly id: string
  /** RFC 8037. */
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  /** When the last token that it signed has expired. */
  readonly not_after: string
}

export const signingKeys: Collection<StoredSigningKey> = {
  name: 'iam_signing_keys',
  id: 'id',
  columns: { not_after: 'TIMESTAMP' },
  indexes: [['not_after']],
}
