import { LRUCache } from 'lru-cache'
import { caNotEnabled, storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Stored } from '../../ports/store.ts'
import { authorityCollection } from '../certificates/authorities-store.ts'
import type { Keyring } from '../seal/keyring.ts'
import { Coalesced } from './coalesced.ts'
import { readParts } from './list-parts.ts'
import { holds, isDue } from './list-times.ts'
import type { CurrentList, CurrentLists, Listing } from '../revoked/current-lists.ts'
import { listCollection, type StoredList } from '../revoked/lists-store.ts'
import { signList, type ListSigner } from './sign-list.ts'

/** The bytes of lists that a server keeps in memory, at most. */
const cachedBytes = 67_108_864

/** The number of lost races after which a renewal ends: each lost race means that another server has renewed the list. */
const maxAttempts = 10

/** The parts of the lists of one server. */
export interface ListParts extends ListSigner {
  readonly clock: Clock
  readonly keyring: Keyring
}

/** The revocation lists of all authorities, which one server signs and keeps in memory (vault.md 4.5). */
export class RevocationLists implements CurrentLists {
  readonly #parts: ListParts
  readonly #renewals = new Coalesced(id => this.#renew(id))
  readonly #cache = new LRUCache<string, Buffer<ArrayBuffer>>({
    maxSize: cachedBytes,
    sizeCalculation: ({ length }) => length,
  })

  constructor(parts: ListParts) {
    this.#parts = parts
  }

  async current(authority: Listing): Promise<CurrentList | undefined> {
    const { clock, keyring, store } = this.#parts
    const { id } = authority
    const stored = await store.get(listCollection, id)
    if (stored === undefined) return undefined
    const now = clock.now()
    if (!isDue(stored.value, notAfterOf(authority), now)) return this.#read(stored)
    if (keyring.isSealed && holds(stored.value, now)) return this.#read(stored)
    await this.renew(id)
    const renewed = await store.get(listCollection, id)
    return renewed && this.#read(renewed)
  }

  /** Signs a list anew if it is due; all callers at one time share a signature. Throws as `current` does. */
  renew(id: string): Promise<void> {
    return this.#renewals.request(id)
  }

  async #renew(id: string): Promise<void> {
    const { clock, keyring, store } = this.#parts
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      // The list is read first: a revocation of a later time changes its mark.
      const list = await store.get(listCollection, id)
      const authority = await store.get(authorityCollection, id)
      const now = clock.now()
      if (!list || !authority || !isDue(list.value, notAfterOf(authority.value), now)) return
      keyring.requireUnsealed()
      const signed = await signList(this.#parts, authority.value, list.value, now)
      if (signed === undefined) continue
      this.#cache.set(signed.list.content, signed.der)
      return
    }
  }

  /** Returns a signed list with its bytes. A list that was replaced during the reading is read again. */
  async #read({ id, value }: Stored<StoredList>): Promise<CurrentList | undefined> {
    const { store } = this.#parts
    const { content, next_update_time, this_update_time } = value
    if (this_update_time === undefined || next_update_time === undefined) return undefined
    const der = this.#cache.get(content) ?? (await readParts(store, value))
    if (der !== undefined) {
      this.#cache.set(content, der)
      return { list: { ...value, this_update_time, next_update_time }, der }
    }
    const again = await store.get(listCollection, id)
    if (again?.value.content === content) throw corruptList(id)
    return again && this.#read(again)
  }
}

const notAfterOf = ({ not_after_time }: Listing): number =>
  not_after_time === undefined ? Infinity : Date.parse(not_after_time)

const corruptList = (id: string) =>
  storedDataCorrupt(`the revocation list of certificate authority ${id} cannot be read; run the doctor`, {
    resource: { type: 'vault.certificateAuthorities', name: id },
  })

/** Makes CA_NOT_ENABLED. `wanted` is the condition on the state. */
export const notEnabled = (id: string, state: string, wanted: string) =>
  caNotEnabled(
    `certificate authority ${id} is ${state}; the call needs ${wanted}`,
    { state },
    {
      resource: { type: 'vault.certificateAuthorities', name: id },
      precondition: [{ type: 'STATE', subject: id, description: `the authority must be ${wanted}` }],
    },
  )
