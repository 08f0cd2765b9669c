import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { keyCertificate, keyId } from './key-certificate.ts'

/** The row of a key pair that signs tokens. */
export interface StoredTokenKey {
  readonly id: string
  /** The private key, PKCS #8 in DER, encrypted by the vault. */
  readonly wrapped: string
  /** The certificate in DER, in Base64. */
  readonly certificate: string
  readonly create_time: string
}

/** The keys that sign tokens, of the whole deployment. */
export const tokenKeyCollection: Collection<StoredTokenKey> = { name: 'registry_token_keys', id: 'id' }

/** The key that signs tokens. */
export interface TokenSigner {
  readonly id: string
  readonly privateKey: KeyObject
  /** The certificate in DER, in Base64. */
  readonly certificate: string
}

/** The purpose under which the vault encrypts the keys. */
const purpose = 'registry.tokenKey'

/** The parts of the keys. */
interface KeyParts {
  readonly store: Store
  readonly clock: { now(): number }
  /** Returns the functions of the vault; undefined for a server without the area of the vault. */
  readonly vault: () => Pick<Vault, 'isSealed' | 'unwrap' | 'wrap'> | undefined
}

/**
 * The keys that sign tokens, which all servers of a store share. The oldest key signs; it never changes, because other
 * registries trust its certificate. To verify a token needs no vault.
 */
export class TokenKeys {
  readonly #parts: KeyParts
  readonly #verifiers = new Map<string, KeyObject>()
  #signer: TokenSigner | undefined

  constructor(parts: KeyParts) {
    this.#parts = parts
  }

  /** Returns the key that signs, and makes it if there is none. Throws ENGINE_UNAVAILABLE while the vault is sealed. */
  async signer(): Promise<TokenSigner> {
    this.#signer ??= await this.#open((await this.#oldest()) ?? (await this.#make()))
    return this.#signer
  }

  /** Returns the public key with an id; undefined if there is none. */
  async verifier(id: string): Promise<KeyObject | undefined> {
    const known = this.#verifiers.get(id)
    if (known) return known
    const stored = await this.#parts.store.get(tokenKeyCollection, id)
    if (!stored) return undefined
    const key = new X509Certificate(Buffer.from(stored.value.certificate, 'base64')).publicKey
    this.#verifiers.set(id, key)
    return key
  }

  async #oldest(): Promise<StoredTokenKey | undefined> {
    let oldest: StoredTokenKey | undefined
    for await (const { value } of this.#parts.store.each(tokenKeyCollection))
      if (oldest === undefined || value.create_time < oldest.create_time) oldest = value
    return oldest
  }

  /** Makes a key. Of servers that make keys concurrently, all accept each, and sign with the oldest. */
  async #make(): Promise<StoredTokenKey> {
    const { clock, store } = this.#parts
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const bytes = privateKey.export({ format: 'der', type: 'pkcs8' })
    const certificate = keyCertificate(privateKey, publicKey, clock.now())
    const row: StoredTokenKey = {
      id: keyId(certificate),
      wrapped: this.#unsealed().wrap(purpose, bytes),
      certificate: certificate.toString('base64'),
      create_time: formatMillis(clock.now()),
    }
    bytes.fill(0)
    await store.tx(tx => tx.insert(tokenKeyCollection, row))
    return (await this.#oldest()) ?? row
  }

  async #open({ certificate, id, wrapped }: StoredTokenKey): Promise<TokenSigner> {
    const bytes = Buffer.from(await this.#unsealed().unwrap(purpose, wrapped))
    const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
    bytes.fill(0)
    this.#verifiers.set(id, createPublicKey(privateKey))
    return { id, privateKey, certificate }
  }

  #unsealed() {
    const vault = this.#parts.vault()
    if (vault === undefined || vault.isSealed)
      throw engineUnavailable(
        'the vault, which keeps the key of registry tokens, is sealed; an operator must unseal the vault',
        { retryAfterSeconds: 5 },
      )
    return vault
  }
}
