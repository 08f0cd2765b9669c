import { randomBytes } from 'node:crypto'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { SigningKey } from './url-signature.ts'

/** The row of a key that signs URLs. */
export interface StoredSigningKey {
  readonly id: string
  /** The secret, encrypted by the vault. */
  readonly wrapped: string
  readonly create_time: string
}

/** The keys that sign URLs, of the whole deployment. */
export const signingKeyCollection: Collection<StoredSigningKey> = {
  name: 'storage_signing_keys',
  id: 'id',
  columns: { create_time: 'TIMESTAMP' },
}

const dayMs = 86_400_000

/** The time in which a key signs URLs, in milliseconds. */
const signingMs = 30 * dayMs

/** The time after `signingMs` in which URLs of a key are still accepted: a URL is valid for at most 7 days. */
const graceMs = 8 * dayMs

/** The purpose under which the vault encrypts the keys. */
const purpose = 'storage.signingKeys'

/** The characters of the names of keys, without those that look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

interface KnownKey extends SigningKey {
  readonly createdMs: number
}

/** The parts of the keys. */
interface KeyParts {
  readonly store: Store
  /** Returns the functions of the vault; undefined for a server without the area of the vault. */
  readonly vault: () => VaultOfKeys | undefined
}

/** The functions of the vault that the keys need. */
type VaultOfKeys = Pick<Vault, 'isSealed' | 'unwrap' | 'wrap'>

/**
 * The keys that sign URLs, which all servers of a store share. A key signs for 30 days, and its URLs are accepted for 8
 * further days. The vault encrypts the stored keys; a key that was used stays in the memory of the server.
 */
export class SigningKeys {
  readonly #parts: KeyParts
  readonly #known = new Map<string, KnownKey>()

  constructor(parts: KeyParts) {
    this.#parts = parts
  }

  /** Returns the key that signs at a time, and makes it if needed. Throws ENGINE_UNAVAILABLE while the vault is sealed. */
  async current(nowMs: number): Promise<SigningKey> {
    const isCurrent = ({ createdMs }: KnownKey): boolean => createdMs > nowMs - signingMs
    const known = this.#newest(isCurrent)
    if (known) return known
    await this.#load()
    return this.#newest(isCurrent) ?? (await this.#make(nowMs, isCurrent))
  }

  /**
   * Returns the key with an id if its URLs are accepted at a time; undefined otherwise. Throws ENGINE_UNAVAILABLE for a
   * key that only the sealed vault can decrypt.
   */
  async find(id: string, nowMs: number): Promise<SigningKey | undefined> {
    const known = this.#known.get(id) ?? (await this.#read(id))
    return known !== undefined && known.createdMs > nowMs - signingMs - graceMs ? known : undefined
  }

  /** Deletes the keys whose URLs are no longer accepted. */
  async dropExpired(nowMs: number): Promise<void> {
    const { store } = this.#parts
    for await (const { id, value } of store.each(signingKeyCollection)) {
      if (Date.parse(value.create_time) > nowMs - signingMs - graceMs) continue
      await store.tx(async tx => {
        const stored = await tx.lock(signingKeyCollection, id)
        if (stored) await tx.delete(signingKeyCollection, id, stored.version)
      })
      this.#known.delete(id)
    }
  }

  #newest(isCurrent: (key: KnownKey) => boolean): KnownKey | undefined {
    return [...this.#known.values()].filter(isCurrent).toSorted((a, b) => b.createdMs - a.createdMs)[0]
  }

  async #load(): Promise<void> {
    for await (const { value } of this.#parts.store.each(signingKeyCollection)) await this.#open(value)
  }

  async #read(id: string): Promise<KnownKey | undefined> {
    const stored = await this.#parts.store.get(signingKeyCollection, id)
    return stored && this.#open(stored.value)
  }

  async #open({ create_time, id, wrapped }: StoredSigningKey): Promise<KnownKey> {
    const known = this.#known.get(id)
    if (known) return known
    const bytes = await this.#unsealed().unwrap(purpose, wrapped)
    const key = { id, secret: Buffer.from(bytes).toString('base64'), createdMs: Date.parse(create_time) }
    bytes.fill(0)
    this.#known.set(id, key)
    return key
  }

  /** Makes a key. Servers that make keys concurrently make one each, and every server accepts both. */
  async #make(nowMs: number, isCurrent: (key: KnownKey) => boolean): Promise<SigningKey> {
    const bytes = randomBytes(32)
    const row: StoredSigningKey = {
      id: newKeyId(),
      wrapped: this.#unsealed().wrap(purpose, bytes),
      create_time: formatMillis(nowMs),
    }
    bytes.fill(0)
    await this.#parts.store.tx(tx => tx.insert(signingKeyCollection, row))
    const made = await this.#open(row)
    return this.#newest(isCurrent) ?? made
  }

  #unsealed(): VaultOfKeys {
    const vault = this.#parts.vault()
    if (vault === undefined || vault.isSealed)
      throw engineUnavailable(
        'the vault, which keeps the keys of signed URLs, is sealed; an operator must unseal the vault',
        { retryAfterSeconds: 5 },
      )
    return vault
  }
}

const newKeyId = (): string =>
  `NFK${[...randomBytes(20)].map(byte => alphabet.charAt(byte % alphabet.length)).join('')}`
