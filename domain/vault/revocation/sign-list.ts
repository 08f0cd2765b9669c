import { X509Certificate, randomUUID } from 'node:crypto'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { authorityCollection, type StoredAuthority } from '../certificates/authorities-store.ts'
import { requireUsableKey, signAs, signSchemeOf } from '../certificates/authority-signer.ts'
import type { Materials } from '../keys/materials.ts'
import { collectEntries } from './collect-entries.ts'
import { signedList, subjectOf, unsignedList } from './list-der.ts'
import { deleteAbandoned, deleteParts, partCount, partOf, storeParts } from './list-parts.ts'
import { halfLife, listLifetimeMs } from './list-times.ts'
import {
  listCollection,
  partCollection,
  revocationCollection,
  type StoredList,
  type StoredPart,
} from '../revoked/lists-store.ts'

/** The parts that signing needs. */
export interface ListSigner {
  readonly store: Store
  readonly materials: Materials
}

/** A signed list. */
export interface SignedList {
  readonly list: StoredList
  readonly der: Buffer<ArrayBuffer>
  /** The ids of the revocations that the list leaves out. */
  readonly ended: readonly string[]
}

/**
 * Signs the revocation list of an authority anew, publishes it, and returns it. Returns undefined if another signature
 * was published in the meantime; the new list is then dropped. A revocation that is committed during the signature leaves the list dirty.
 * Never call this in a transaction. Throws VAULT_SEALED, KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED and
 * STORED_DATA_CORRUPT.
 */
export async function signList(
  signer: ListSigner,
  authority: StoredAuthority,
  before: StoredList,
  now: number,
): Promise<SignedList | undefined> {
  const { store } = signer
  await requireUsableKey(store, authority)
  const made = await signed(signer, authority, before, now)
  const { der, ended, list } = made
  const created = formatMillis(now)
  await storeParts(store, der, list, created)
  const last = partOf(der, list.parts - 1, list, created)
  const isPublished = await store.tx(tx => publish(tx, before, list, last))
  await deleteParts(store, list.id, isPublished ? before.content : list.content)
  if (!isPublished) return undefined
  await deleteEnded(store, ended)
  await deleteAbandoned(store, list, now)
  return made
}

async function signed(
  signer: ListSigner,
  authority: StoredAuthority,
  before: StoredList,
  now: number,
): Promise<SignedList> {
  const { this_update_time: last } = before
  const entries = await collectEntries(signer.store, authority.id, last === undefined ? -Infinity : Date.parse(last))
  const scheme = signSchemeOf(authority)
  const thisUpdate = Math.floor(now / 1000) * 1000
  const nextUpdate = thisUpdate + listLifetimeMs
  const head = {
    issuer: subjectOf(new X509Certificate(authority.pem_certificate).raw),
    keyId: authority.subject_key_id,
    number: nextNumber(before.crl_number, now),
    thisUpdate,
    nextUpdate,
    scheme,
  }
  const unsigned = unsignedList(head, entries.chunks)
  const der = signedList(unsigned, scheme, await signAs(signer, authority, unsigned))
  const list: StoredList = {
    ...before,
    crl_number: head.number,
    content: randomUUID(),
    parts: partCount(der),
    revoked_count: entries.count,
    this_update_time: formatMillis(thisUpdate),
    next_update_time: formatMillis(nextUpdate),
    is_same_second: last === formatMillis(thisUpdate),
    is_dirty: false,
  }
  return { list, der, ended: entries.ended }
}

/** Returns the number of the next list: it grows, also after a restored store has forgotten the last numbers. */
function nextNumber(before: string, now: number): string {
  const next = BigInt(before === '' ? 0 : before) + 1n
  return String(next > BigInt(now) ? next : now)
}

/**
 * Replaces the published list, unless another signature has done so. Returns false then, and if a part of the new list
 * is absent.
 */
async function publish(tx: Transaction, before: StoredList, list: StoredList, last: StoredPart): Promise<boolean> {
  const authority = await tx.lock(authorityCollection, list.id)
  const stored = await tx.lock(listCollection, list.id)
  if (!authority || stored?.value.crl_number !== before.crl_number) return false
  if ((await tx.count(partCollection, { content: list.content })) !== list.parts - 1) return false
  await tx.insert(partCollection, last)
  const isDirty = stored.value.mark !== before.mark
  const half = halfLife(list) ?? 0
  const next: StoredList = {
    ...list,
    mark: stored.value.mark,
    is_dirty: isDirty,
    renew_time: isDirty ? last.create_time : formatMillis(half),
  }
  await tx.update(listCollection, list.id, next, stored.version)
  const members = { crl_number: list.crl_number }
  await tx.update(authorityCollection, list.id, { ...authority.value, ...members }, authority.version)
  return true
}

/** The number of rows that one transaction deletes. */
const deletedAtOnce = 100

async function deleteEnded(store: Store, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += deletedAtOnce) {
    await store.tx(async tx => {
      for (const id of ids.slice(start, start + deletedAtOnce)) {
        const stored = await tx.get(revocationCollection, id)
        if (stored) await tx.delete(revocationCollection, id, stored.version)
      }
    })
    await nextTurn()
  }
}
