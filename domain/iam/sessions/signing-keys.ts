import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { isUuid } from '../../../runtime/formats.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { signingKeys, type StoredSigningKey } from '../collections/signing-keys-store.ts'
import { accessTokenMs } from '../values/token-lives.ts'

/** The time in milliseconds after which a server creates a new key pair. */
const rotationMs = 24 * 60 * 60 * 1000

/**
 * The time in milliseconds for which a public key is kept in addition to the lifetime of the tokens that it verifies,
 * because the clocks of servers differ a little.
 */
const spareMs = 60_000

/** The minimal interval in milliseconds between two reads of the table because of unknown keys. */
const rereadMs = 1000

/** A public key in the form of the JWK set (RFC 7517, RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** The current signing key pair of a server. */
interface Pair {
  readonly kid: string
  readonly privateKey: KeyObject
  /** The time from which a new pair must be created, in milliseconds since 1970. */
  readonly rotateAt: number
}

/**
 * The keys of access tokens (iam.md 4.7). Each server has an Ed25519 key pair and replaces the pair every 24 hours. The
 * private key never leaves the memory of the server. A public key stays in the store until the last token of its pair
 * has expired.
 */
export class SigningKeys {
  readonly #store: Store
  readonly #clock: Clock
  /** The public keys with the end of their validity in milliseconds since 1970, keyed by key id. */
  readonly #known = new Map<string, { readonly key: KeyObject; readonly notAfter: number }>()
  #pair: Pair | undefined
  #making: Promise<void> | undefined
  /** The next read of the table, which has not yet begun. */
  #next: Promise<void> | undefined
  #readAt = -Infinity

  constructor({ clock, store }: { readonly clock: Clock; readonly store: Store }) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Ensures that the server has a signing key pair whose public key all servers can read. Never call `ready` in a
   * transaction.
   */
  async ready(): Promise<void> {
    if (this.#pair && this.#isYoung(this.#pair)) return
    this.#making ??= this.#make().finally(() => (this.#making = undefined))
    await this.#making
  }

  /**
   * Signs the text that `text` builds for the key id, and returns the text and its signature. Throws before `ready`.
   */
  sign(text: (kid: string) => string): readonly [text: string, signature: Buffer] {
    if (!this.#pair) throw new Error('there is no pair to sign with yet')
    const signed = text(this.#pair.kid)
    return [signed, sign(null, Buffer.from(signed), this.#pair.privateKey)]
  }

  /**
   * Returns the public key with a key id; undefined if no server has the key. An unknown id causes a read of the table.
   */
  async find(kid: string): Promise<KeyObject | undefined> {
    const known = this.#known.get(kid)?.key
    // Every key id of the platform is a UUID. Without this check, any caller could cause reads of the table.
    if (known || !isUuid(kid)) return known
    await this.#reread()
    return this.#known.get(kid)?.key
  }

  /** Returns the JWK set of the public keys that are still valid. */
  async jwks(): Promise<{ readonly keys: readonly PublicJwk[] }> {
    const keys: PublicJwk[] = []
    for (const { id, jwk } of await this.#live()) {
      const { crv, kty, x } = jwk
      keys.push({ kty, crv, x, kid: id, alg: 'EdDSA', use: 'sig' })
    }
    return { keys }
  }

  /**
   * Returns whether a pair is not yet due for rotation. If the pair seems to come from the future, the clock was turned
   * back, and the pair counts as due: otherwise the pair would be used for too long.
   */
  #isYoung({ rotateAt }: Pair): boolean {
    const leftMs = rotateAt - this.#clock.now()
    return leftMs > 0 && leftMs <= rotationMs + spareMs
  }

  async #make(): Promise<void> {
    const now = this.#clock.now()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    const rotateAt = now + rotationMs
    const notAfter = rotateAt + accessTokenMs + spareMs
    const not_after = formatMillis(notAfter)
    const stored: StoredSigningKey = { id: this.#clock.newId(), jwk: { kty: 'OKP', crv: 'Ed25519', x }, not_after }
    await this.#store.tx(tx => tx.insert(signingKeys, stored))
    this.#known.set(stored.id, { key: publicKey, notAfter })
    this.#pair = { kid: stored.id, privateKey, rotateAt }
  }

  /**
   * Reads the table. All calls before the next read share this read, because a read in progress may have begun before
   * their key was written.
   */
  #reread(): Promise<void> {
    this.#next ??= this.#readSoon()
    return this.#next
  }

  async #readSoon(): Promise<void> {
    const waitMs = Math.max(0, this.#readAt + rereadMs - performance.now())
    await new Promise(resolve => setTimeout(resolve, waitMs))
    this.#next = undefined
    this.#readAt = performance.now()
    for (const { id, jwk, not_after } of await this.#live()) {
      if (this.#known.has(id)) continue
      const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
      this.#known.set(id, { key, notAfter: Date.parse(not_after) })
    }
    const now = this.#clock.now()
    for (const [kid, { notAfter }] of this.#known) if (notAfter <= now) this.#known.delete(kid)
  }

  async #live(): Promise<readonly StoredSigningKey[]> {
    const live: StoredSigningKey[] = []
    const now = this.#clock.now()
    for await (const { value } of this.#store.each(signingKeys)) {
      if (Date.parse(value.not_after) > now) live.push(value)
    }
    return live
  }
}
