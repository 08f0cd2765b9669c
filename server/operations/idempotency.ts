import { createHash, createHmac } from 'node:crypto'
import { Conflict, type Collection, type Reader, type Stored, type Transaction } from '../../domain/ports/store.ts'
import { idempotencyKeyReused } from '../../output/shared/errors.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { FilterField } from '../../runtime/filter/types.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { canonical } from '../../runtime/validation.ts'

/** A remembered Idempotency-Key (conventions §6). Neither the key nor the body can be read from it. */
export interface RememberedKey {
  /** SHA-256 over principal, method, raw path and `key_digest`, in hex. */
  readonly id: string
  /** SHA-256 of the key, in hex. */
  readonly key_digest: string
  /** HMAC-SHA256 of the request's canonical JSON under the key, in hex: without the key nobody can test guesses. */
  readonly request_mark: string
  /** The table of the operation's area, and its id there. */
  readonly operations: string
  readonly operation_id: string
  readonly expire_time: string
}

/** Keys are remembered for 24 hours. */
const rememberedMs = 24 * 60 * 60 * 1000

export const expireTime: FilterField = { name: 'expire_time', type: 'TIMESTAMP', operators: ['<'], sortable: true }

/** The remembered keys of all areas; listed in the order in which they expire. */
export const rememberedKeys: Collection<RememberedKey> = {
  name: 'ninefold_idempotency_keys',
  id: 'id',
  list: { fields: [expireTime], defaultOrder: 'expire_time', key: 'id' },
}

/** A call's key as digests; made outside the transaction. */
export interface CallKey {
  readonly id: string
  readonly digest: string
  readonly mark: string
}

/** Undefined when the call has no key, or nobody to remember it for. */
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

/** Whether the caller has used the key of the call with this method and path before, for whatever request. */
export async function hasUsedKey(reader: Reader, context: CallContext): Promise<boolean> {
  const { idempotencyKey: key, principal, method, path, now } = context
  if (key === undefined || principal === undefined) return false
  const digest = createHash('sha256').update(key).digest('hex')
  const row = await reader.get(rememberedKeys, keyId(principal.id, method, path, digest))
  return row !== undefined && !isExpired(row, now)
}

/** The row of a key that was used in the last 24 hours; throws IDEMPOTENCY_KEY_REUSED when it was for another request. */
export async function recall(tx: Reader, key: CallKey, now: number): Promise<RememberedKey | undefined> {
  const row = await tx.get(rememberedKeys, key.id)
  if (row === undefined || isExpired(row, now)) return undefined
  if (row.value.request_mark === key.mark) return row.value
  throw idempotencyKeyReused('the Idempotency-Key was used with another request; take a new one')
}

/**
 * Writes the row of a key in the transaction of its mutation, over an expired one if need be. Throws `Conflict` when
 * another transaction has used the key since `recall`; run again, this one finds it.
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
