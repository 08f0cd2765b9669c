import { createHash, createHmac } from 'node:crypto'
import { Conflict, type Collection, type Reader, type Stored, type Transaction } from '../../domain/ports/store.ts'
import { idempotencyKeyReused } from '../../output/shared/errors.ts'
import type { CallContext } from '../../runtime/context.ts'
import { faultAt } from '../../runtime/errors.ts'
import type { FilterField } from '../../runtime/filter/types.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { canonical } from '../../runtime/validation.ts'

/** A stored Idempotency-Key (conventions §6). Neither the key nor the body can be read from the row. */
export interface RememberedKey {
  /** The SHA-256 of principal, method, raw path and `key_digest`, in hex. */
  readonly id: string
  /** The SHA-256 of the key, in hex. */
  readonly key_digest: string
  /**
   * The HMAC-SHA256 of the request's canonical JSON under the key, in hex. Without the key, guesses at the request
   * cannot be tested.
   */
  readonly request_mark: string
  /** The table of the operation's area, and the id of the operation. */
  readonly operations: string
  readonly operation_id: string
  readonly expire_time: string
}

/** The time for which a key is valid, in milliseconds. */
const rememberedMs = 24 * 60 * 60 * 1000

/** The column with the expiry of a key. */
export const expireTime: FilterField = { name: 'expire_time', type: 'TIMESTAMP', operators: ['<'], sortable: true }

/** The stored keys of all areas, listed in the order of their expiry. */
export const rememberedKeys: Collection<RememberedKey> = {
  name: 'ninefold_idempotency_keys',
  id: 'id',
  list: { fields: [expireTime], defaultOrder: 'expire_time', key: 'id' },
}

/** The digests of a call's key; computed outside of the transaction. */
export interface CallKey {
  readonly id: string
  readonly digest: string
  readonly mark: string
}

/** Returns the digests of a call's key and request; undefined if the call has no key or no principal. */
export function callKey(context: CallContext, request: object): CallKey | undefined {
  const { idempotencyKey: key, principal, method, path } = context
  if (key === undefined || principal === undefined) return undefined
  const digest = createHash('sha256').update(key).digest('hex')
  return {
    id: keyId(principal.id, method, path, digest),
    digest,
    mark: createHmac('sha256', key).update(canonical(request)).digest('hex'),
  }
}

const keyId = (...parts: readonly [principal: string, method: string, path: string, digest: string]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Whether the caller has used the call's key in the last 24 hours with the same method and path, for any request. */
export async function hasUsedKey(reader: Reader, context: CallContext): Promise<boolean> {
  const { idempotencyKey: key, principal, method, path, now } = context
  if (key === undefined || principal === undefined) return false
  const digest = createHash('sha256').update(key).digest('hex')
  const row = await reader.get(rememberedKeys, keyId(principal.id, method, path, digest))
  return row !== undefined && !isExpired(row, now)
}

/**
 * Returns the row of a key that was used in the last 24 hours; undefined for an unused key. Throws
 * IDEMPOTENCY_KEY_REUSED if the key was used for another request.
 */
export async function recall(tx: Reader, key: CallKey, now: number): Promise<RememberedKey | undefined> {
  const row = await tx.get(rememberedKeys, key.id)
  if (row === undefined || isExpired(row, now)) return undefined
  if (row.value.request_mark === key.mark) return row.value
  throw faultAt(
    idempotencyKeyReused,
    'Idempotency-Key',
    'the Idempotency-Key was used with another request; take a new one',
  )
}

/**
 * Inserts the row of a key in the transaction of its mutation, or replaces an expired row. Throws `Conflict` if another
 * transaction has used the key since `recall`; the repeated transaction then finds its row.
 */
export async function remember(
  tx: Transaction,
  key: CallKey,
  now: number,
  operation: { readonly operations: string; readonly operation_id: string },
): Promise<void> {
  const expire_time = formatMillis(now + rememberedMs)
  const row: RememberedKey = { id: key.id, key_digest: key.digest, request_mark: key.mark, ...operation, expire_time }
  const old = await tx.get(rememberedKeys, key.id)
  if (old === undefined) await tx.insert(rememberedKeys, row)
  else if (isExpired(old, now)) await tx.update(rememberedKeys, key.id, row, old.version)
  else throw new Conflict('another call has used the key since this one looked for it')
}

function isExpired(row: Stored<RememberedKey>, now: number): boolean {
  return Date.parse(row.value.expire_time) <= now
}
