import type { ParsedCapsule } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../values/durations.ts'

const minLifeMs = 60_000
const maxLifeMs = 2_592_000_000
const defaultLifeMs = 86_400_000

/**
 * Checks the members of a new capsule whose rules the schema does not have (step 5), and returns the time of its expiry
 * in milliseconds since 1970. Throws FIELD_INVALID with all faults.
 */
export function requireCapsuleForm(body: ParsedCapsule, now: number): number {
  const faults = [...contentFaults(body), ...lifeFaults(body, now)]
  if (faults.length > 0) throw fieldInvalid(faults)
  return expiryOf(body, now)
}

function* contentFaults({ payload, source }: ParsedCapsule): Generator<FieldViolation> {
  if ((payload === undefined) === (source === undefined))
    yield { field: 'payload', description: 'exactly one of payload and source must be given' }
}

function* lifeFaults(body: ParsedCapsule, now: number): Generator<FieldViolation> {
  const { expire_time, ttl } = body
  if (expire_time !== undefined && ttl !== undefined)
    yield { field: 'ttl', description: 'cannot be given together with expire_time; leave one of them out' }
  const lifeMs = expiryOf(body, now) - now
  if (lifeMs >= minLifeMs && lifeMs <= maxLifeMs) return
  yield ttl === undefined
    ? { field: 'expire_time', description: 'must be 60 seconds to 30 days in the future' }
    : { field: 'ttl', description: 'must be from 60s to 2592000s' }
}

function expiryOf({ expire_time, ttl }: ParsedCapsule, now: number): number {
  if (ttl !== undefined) return now + durationMs(ttl)
  return expire_time === undefined ? now + defaultLifeMs : Date.parse(expire_time)
}
