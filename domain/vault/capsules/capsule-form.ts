import type { CapsuleInput } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

const minLifeMs = 60_000
const maxLifeMs = 2_592_000_000
const defaultLifeMs = 86_400_000

/** The maximal number of bytes in the payload of a capsule. */
const maxPayloadBytes = 65_536

const rule = rulesOf<CapsuleInput>()

/** The rules for the members of a new capsule that the schema does not have (step 5). */
export const capsuleForm: readonly FormRule[] = [
  rule(['payload', 'source'], contentFaults),
  rule(['payload'], payloadFaults),
  rule(['expire_time', 'ttl'], lifeFaults),
]

function* contentFaults({ payload, source }: Pick<CapsuleInput, 'payload' | 'source'>): Generator<FieldViolation> {
  if ((payload === undefined) === (source === undefined))
    yield { field: 'payload', description: 'exactly one of payload and source must be given' }
}

function* payloadFaults({ payload }: Pick<CapsuleInput, 'payload'>): Generator<FieldViolation> {
  const bytes = Buffer.byteLength(payload?.data ?? '', 'base64')
  if (payload !== undefined && (bytes === 0 || bytes > maxPayloadBytes))
    yield { field: 'payload.data', description: `must have 1 to ${maxPayloadBytes} bytes` }
}

type Life = Pick<CapsuleInput, 'expire_time' | 'ttl'>

function* lifeFaults(body: Life, now: number): Generator<FieldViolation> {
  const { expire_time, ttl } = body
  if (expire_time !== undefined && ttl !== undefined)
    yield { field: 'ttl', description: 'cannot be given together with expire_time; leave one of them out' }
  const lifeMs = expiryOf(body, now) - now
  if (lifeMs >= minLifeMs && lifeMs <= maxLifeMs) return
  yield ttl === undefined
    ? { field: 'expire_time', description: 'must be 60 seconds to 30 days in the future' }
    : { field: 'ttl', description: 'must be from 60s to 2592000s' }
}

/** Returns the time of the expiry of a new capsule, in milliseconds since 1970. */
export function expiryOf({ expire_time, ttl }: Life, now: number): number {
  if (ttl !== undefined) return now + durationMs(ttl)
  return expire_time === undefined ? now + defaultLifeMs : Date.parse(expire_time)
}
