import type { CryptoKeyAlgorithmInput, CryptoKeyPurposeInput } from '../../../output/vault/types.ts'

/** A hash function, by its name in `node:crypto`. */
export type Hash = 'sha256' | 'sha384' | 'sha512'

/** An authenticated cipher with a key of 32 bytes. */
export interface CipherScheme {
  readonly kind: 'cipher'
  readonly cipher: 'aes-256-gcm' | 'chacha20-poly1305'
}

/** ECDSA; `bytes` is the length of one number of a signature. */
export interface EcScheme {
  readonly kind: 'ec'
  readonly curve: 'P-256' | 'P-384'
  readonly bytes: 32 | 48
  readonly hash: Hash
}

/** Ed25519, which signs data and no digests. */
export interface Ed25519Scheme {
  readonly kind: 'ed25519'
}

/** A signature with RSA; `bits` is the length of the modulus. PSS has a salt of 32 bytes. */
export interface RsaSignScheme {
  readonly kind: 'rsa-pss' | 'rsa-pkcs1'
  readonly bits: 2048 | 3072 | 4096
  readonly hash: Hash
}

/** Decryption with RSA-OAEP: SHA-256, MGF1 with SHA-256, no label. */
export interface OaepScheme {
  readonly kind: 'rsa-oaep'
  readonly bits: 2048 | 3072 | 4096
}

/** HMAC with a key as long as the digest: `bytes`. */
export interface MacScheme {
  readonly kind: 'mac'
  readonly hash: Hash
  readonly bytes: 32 | 48 | 64
}

/** A scheme that signs and verifies. */
export type SignScheme = EcScheme | Ed25519Scheme | RsaSignScheme

/** The cryptographic content of an algorithm (vault.md 1, "Algorithms"). */
export type Scheme = CipherScheme | SignScheme | OaepScheme | MacScheme

/** The schemes, keyed by algorithm. */
export const schemes = {
  VAULT_CRYPTO_KEY_ALGORITHM_AES_256_GCM: { kind: 'cipher', cipher: 'aes-256-gcm' },
  VAULT_CRYPTO_KEY_ALGORITHM_CHACHA20_POLY1305: { kind: 'cipher', cipher: 'chacha20-poly1305' },
  VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256: { kind: 'ec', curve: 'P-256', bytes: 32, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384: { kind: 'ec', curve: 'P-384', bytes: 48, hash: 'sha384' },
  VAULT_CRYPTO_KEY_ALGORITHM_ED25519: { kind: 'ed25519' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_2048_SHA256: { kind: 'rsa-pss', bits: 2048, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_3072_SHA256: { kind: 'rsa-pss', bits: 3072, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_4096_SHA256: { kind: 'rsa-pss', bits: 4096, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_2048_SHA256: { kind: 'rsa-pkcs1', bits: 2048, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256: { kind: 'rsa-pkcs1', bits: 3072, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_4096_SHA256: { kind: 'rsa-pkcs1', bits: 4096, hash: 'sha256' },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_OAEP_2048_SHA256: { kind: 'rsa-oaep', bits: 2048 },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_OAEP_3072_SHA256: { kind: 'rsa-oaep', bits: 3072 },
  VAULT_CRYPTO_KEY_ALGORITHM_RSA_OAEP_4096_SHA256: { kind: 'rsa-oaep', bits: 4096 },
  VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256: { kind: 'mac', hash: 'sha256', bytes: 32 },
  VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA384: { kind: 'mac', hash: 'sha384', bytes: 48 },
  VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA512: { kind: 'mac', hash: 'sha512', bytes: 64 },
} as const satisfies Record<CryptoKeyAlgorithmInput, Scheme>

/** Returns the purpose of the keys of a scheme. */
export function purposeOf({ kind }: Scheme): CryptoKeyPurposeInput {
  if (kind === 'cipher') return 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
  if (kind === 'rsa-oaep') return 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_DECRYPT'
  return kind === 'mac' ? 'VAULT_CRYPTO_KEY_PURPOSE_MAC' : 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN'
}

/** The algorithms of keys that name none, keyed by purpose. */
export const defaultAlgorithms: Readonly<Record<CryptoKeyPurposeInput, CryptoKeyAlgorithmInput>> = {
  VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT: 'VAULT_CRYPTO_KEY_ALGORITHM_AES_256_GCM',
  VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN: 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_DECRYPT: 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_OAEP_2048_SHA256',
  VAULT_CRYPTO_KEY_PURPOSE_MAC: 'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256',
}
