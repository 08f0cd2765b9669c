import type { SecretUpdate } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

const dayMs = 86_400_000

/** The minimal time from a call to the expiry of its secret, in milliseconds; the expiry must be later. */
const minLifeMs = 60_000

const maxDelayMs = 120 * dayMs
const maxPeriodMs = 36_500 * dayMs

const rule = rulesOf<SecretUpdate>()

/** The rules for the members of a new secret or of an update that the schema does not have (step 5). */
export const secretForm: readonly FormRule[] = [
  rule(['expire_time', 'ttl'], lifeFaults),
  rule(['rotation'], rotationFaults),
  rule(['version_destroy_delay'], delayFaults),
  rule(['version_aliases'], aliasFaults),
]

function* lifeFaults({ expire_time, ttl }: SecretUpdate, now: number): Generator<FieldViolation> {
  if (expire_time !== undefined && ttl !== undefined)
    yield { field: 'ttl', description: 'cannot be given together with expire_time; leave one of them out' }
  if (expire_time !== undefined && !(Date.parse(expire_time) > now + minLifeMs))
    yield { field: 'expire_time', description: 'must be more than 60 seconds in the future' }
  if (ttl !== undefined && !(durationMs(ttl) > minLifeMs && durationMs(ttl) <= maxPeriodMs))
    yield { field: 'ttl', description: 'must be more than 60s and at most 3153600000s' }
}

function* rotationFaults({ rotation }: SecretUpdate, now: number): Generator<FieldViolation> {
  const { next_rotation_time, rotation_period } = rotation ?? {}
  const periodMs = rotation_period === undefined ? dayMs : durationMs(rotation_period)
  if (!(periodMs >= dayMs && periodMs <= maxPeriodMs))
    yield { field: 'rotation.rotation_period', description: 'must be from 86400s to 3153600000s' }
  if (next_rotation_time !== undefined && !(Date.parse(next_rotation_time) > now))
    yield { field: 'rotation.next_rotation_time', description: 'must be in the future' }
}

function* delayFaults({ version_destroy_delay }: SecretUpdate): Generator<FieldViolation> {
  const delayMs = version_destroy_delay === undefined ? 0 : durationMs(version_destroy_delay)
  if (!(delayMs === 0 || (delayMs >= dayMs && delayMs <= maxDelayMs)))
    yield { field: 'version_destroy_delay', description: 'must be 0s, or from 86400s to 10368000s' }
}

function* aliasFaults({ version_aliases }: SecretUpdate): Generator<FieldViolation> {
  if (version_aliases !== undefined && Object.hasOwn(version_aliases, 'latest'))
    yield { field: 'version_aliases.latest', description: 'is the name of the latest version; choose another alias' }
}
