import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { isUuid } from '../../../runtime/formats.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { signingKeys, type StoredSigningKey } from '../collections/signing-keys-store.ts'
import { accessTokenMs } from '../values/token-lives.ts'

/** A server takes a new pair after so long. */
const rotationMs = 24 * 60 * 60 * 1000

/** How much longer a public half is kept than its tokens need it: clocks of servers differ a little. */
const spareMs = 60_000

/** The table is read again for unknown keys at most this often. */
const rereadMs = 1000

/** A public half, as the JWK set has it (RFC 7517, RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** The pair that a server signs with now. */
interface Pair {
  readonly kid: string
  readonly privateKey: KeyObject
  /** From when on a new one is made, milliseconds since 1970. */
  readonly rotateAt: number
}

/**
 * The keys of access tokens (iam.md 4.7): each server has an Ed25519 pair, whose private half never leaves its memory,
 * and takes a new one every 24 hours. The public halves are in the store until their last token has expired.
 */
export class SigningKeys {
  readonly #store: Store
  readonly #clock: Clock
  /** Public halves by key id, and until when they are of use. */
  readonly #known = new Map<string, { readonly key: KeyObject; readonly notAfter: number }>()
  #pair: Pair | undefined
  #making: Promise<void> | undefined
  /** The reading of the table that has not begun yet. */
  #next: Promise<void> | undefined
  #readAt = -Infinity

  constructor({ clock, store }: { readonly clock: Clock; readonly store: Store }) {
    this.#store = store
    this.#clock = clock
  }

  /** Sees to it that there is a pair to sign with and that all servers can read its public half. Not in a transaction. */
  async ready(): Promise<void> {
    if (this.#pair && this.#isYoung(this.#pair)) return
    this.#making ??= this.#make().finally(() => (this.#making = undefined))
    await this.#making
  }

  /** Signs what `text` makes of the id of the key: answers the text and its signature. Throws before `ready`. */
  sign(text: (kid: string) => string): readonly [text: string, signature: Buffer] {
    if (!this.#pair) throw new Error('there is no pair to sign with yet')
    const signed = text(this.#pair.kid)
    return [signed, sign(null, Buffer.from(signed), this.#pair.privateKey)]
  }

  /** The public half of that id, undefined when no server has it; an unknown one has the table read again. */
  async find(kid: string): Promise<KeyObject | undefined> {
    const known = this.#known.get(kid)?.key
    // Of another form it is no key of ours, and the wait for the table would be somebody else's choice.
    if (known || !isUuid(kid)) return known
    await this.#reread()
    return this.#known.get(kid)?.key
  }

  /** The JWK set of the live public halves. */
  async jwks(): Promise<{ readonly keys: readonly PublicJwk[] }> {
    const keys: PublicJwk[] = []
    for (const { id, jwk } of await this.#live()) {
      const { crv, kty, x } = jwk
      keys.push({ kty, crv, x, kid: id, alg: 'EdDSA', use: 'sig' })
    }
    return { keys }
  }

  /** A pair that seems to come from the future is not: the clock was set back, and it would be signed with for too long. */
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
   * All who ask before the next reading begins wait for that one: one that is under way may have begun before the key
   * they look for was written.
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
