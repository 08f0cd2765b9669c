import { createHmac } from 'node:crypto'
import { authenticationThrottled } from '../../../output/iam/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Store, Stored, Transaction } from '../../ports/store.ts'
import { normalEmail } from '../values/email.ts'
import { hasSessionFrom } from './known-networks.ts'
import { networkOf } from '../../addresses/networks.ts'
import type { Attempt, Throttle } from '../interfaces/throttle.ts'
import {
  withFailure,
  forgottenAt,
  momentOf,
  noFailures,
  refusedUntil,
  throttleRules,
  withdrawn,
  type Failures,
  type ThrottleKind,
  type ThrottleLimits,
} from './throttle-rules.ts'
import { throttles, type StoredThrottle } from './throttle-store.ts'

/** The parts of a throttle. */
export interface ThrottleOptions {
  readonly store: Store
  /** The key of the digests; the same for all servers of the store. */
  readonly key: Uint8Array
  readonly limits: ThrottleLimits
}

/** A key under which attempts are counted. */
interface Key {
  readonly kind: ThrottleKind
  readonly id: string
  readonly address: string
}

/**
 * Returns the throttle that counts attempts in the store, so that the delays are the same on all servers (iam.md 4.7).
 */
export function throttleOf(parts: ThrottleOptions): Throttle {
  const { limits, store } = parts
  const digest = (...of: readonly string[]): string =>
    createHmac('sha256', parts.key).update(JSON.stringify(of)).digest('hex')
  const keyOf = (kind: ThrottleKind, about: readonly string[], address = ''): Key => ({
    kind,
    id: digest(kind, ...about),
    address,
  })

  return {
    async password(given, context) {
      const email = normalEmail(given)
      const network = networkOf(context.clientAddress)
      const address = digest('address', email)
      const own = keyOf('email_network', [email, network], address)
      const keys = [own, keyOf('email', [email], address), keyOf('network', [network])]
      const isExempt = (reader: Reader, { kind }: Key): Promise<boolean> | boolean =>
        kind === 'email' && hasSessionFrom(reader, email, network, context.now)
      return count(parts, keys, own, isExempt, context)
    },

    async credentialToken(context) {
      const key = keyOf('credential_token', [networkOf(context.clientAddress)])
      return count(parts, [key], undefined, () => false, context)
    },

    async waits(emails, now) {
      const byDigest = new Map(emails.map(email => [digest('address', normalEmail(email)), email]))
      const latest = new Map<string, number>()
      if (byDigest.size === 0) return new Map()
      for await (const { value } of store.each(throttles, { address: [...byDigest.keys()] })) {
        const email = byDigest.get(value.address)
        const until = refusedUntil(throttleRules[value.kind], value, now)
        if (email === undefined || until === 0 || limits[value.kind] === 0) continue
        latest.set(email, Math.max(until, latest.get(email) ?? 0))
      }
      return new Map([...latest].map(([email, until]) => [email, formatMillis(until)]))
    },
  }
}

/**
 * Counts an attempt under all keys, and returns the functions that withdraw the attempt; if any key refuses the
 * attempt, throws AUTHENTICATION_THROTTLED and counts nothing. A success clears the failures of `own`.
 */
async function count(
  { limits, store }: ThrottleOptions,
  all: readonly Key[],
  own: Key | undefined,
  isExempt: (reader: Reader, key: Key) => Promise<boolean> | boolean,
  { now }: CallContext,
): Promise<Required<Attempt>> {
  // All attempts lock the keys in the same order; otherwise two attempts could deadlock.
  const keys = all.filter(({ kind }) => limits[kind] > 0).sort((a, b) => (a.id < b.id ? -1 : 1))
  if (keys.length > 0) {
    await store.tx(async tx => {
      const rows: (readonly [Key, Stored<StoredThrottle> | undefined])[] = []
      let until = 0
      for (const key of keys) {
        const row = await tx.lock(throttles, key.id)
        rows.push([key, row])
        const refused = row ? refusedUntil(throttleRules[key.kind], row.value, now) : 0
        if (refused > 0 && !(await isExempt(tx, key))) until = Math.max(until, refused)
      }
      if (until > now) throw throttled(until - now)
      for (const [key, row] of rows) {
        await write(tx, key, row, withFailure(throttleRules[key.kind], limits[key.kind], row?.value ?? noFailures, now))
      }
    })
  }
  const takeBack = async (forgotten: Key | undefined): Promise<void> => {
    if (keys.length > 0) await store.tx(tx => takenBack(tx, keys, forgotten, limits, now))
  }
  return { succeed: () => takeBack(own), withdraw: () => takeBack(undefined) }
}

async function takenBack(
  tx: Transaction,
  keys: readonly Key[],
  forgotten: Key | undefined,
  limits: ThrottleLimits,
  now: number,
): Promise<void> {
  for (const key of keys) {
    const row = await tx.lock(throttles, key.id)
    if (row === undefined) continue
    const [rule, limit] = [throttleRules[key.kind], limits[key.kind]]
    const left = key === forgotten ? noFailures : withdrawn(rule, limit, row.value, momentOf(rule, limit, now))
    if (left.moments.length === 0) await tx.delete(throttles, key.id, row.version)
    else await write(tx, key, row, left)
  }
}

async function write(
  tx: Transaction,
  { address, id, kind }: Key,
  row: Stored<StoredThrottle> | undefined,
  { moments, waitUntil, waits }: Failures,
): Promise<void> {
  const failures = { moments, waitUntil, waits }
  const expire_time = formatMillis(forgottenAt(throttleRules[kind], failures))
  const next: StoredThrottle = { id, kind, address, ...failures, expire_time }
  if (row) await tx.update(throttles, id, next, row.version)
  else await tx.insert(throttles, next)
}

/** Returns the error of a refused attempt. The message does not reveal which key refused the attempt. */
const throttled = (waitMs: number) =>
  authenticationThrottled('too many attempts failed; wait before the next attempt', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
