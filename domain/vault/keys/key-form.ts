import { algorithmNotAllowed, rotationNotSupported } from '../../../output/vault/errors.ts'
import type { CryptoKeyAlgorithm, CryptoKeyPurpose, CryptoKeyUpdate } from '../../../output/vault/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../../resources/durations.ts'
import { purposeOf, schemes, type Scheme } from './schemes.ts'

const dayMs = 86_400_000
const maxPeriodMs = 36_500 * dayMs
const maxWindowMs = 120 * dayMs

/** Returns the scheme of the algorithm of a stored key or version. */
export function schemeOf(algorithm: CryptoKeyAlgorithm | undefined): Scheme {
  if (algorithm === undefined || algorithm === 'VAULT_CRYPTO_KEY_ALGORITHM_UNSPECIFIED')
    throw new Error('the stored key has no algorithm')
  return schemes[algorithm]
}

const rule = rulesOf<CryptoKeyUpdate>()

/** The rule for a new key, whose members are all in the body; an update is judged with the stored members. */
export const newKeyRule: FormRule = rule(['next_rotation_time', 'rotation_period'], periodFaults)

/**
 * Returns the rules for the members of a new key or of an update that the schema does not have (step 5). `minWindowMs`,
 * the smallest window in which a destruction can be cancelled, is in milliseconds.
 */
export const keyForm = (minWindowMs: number): readonly FormRule[] => [
  rule(['rotation_period'], rotationFaults),
  rule(['next_rotation_time'], timeFaults),
  rule(['destroy_scheduled_duration'], body => windowFaults(body, minWindowMs)),
]

function* rotationFaults({ rotation_period }: CryptoKeyUpdate): Generator<FieldViolation> {
  const periodMs = rotation_period === undefined ? dayMs : durationMs(rotation_period)
  if (!(periodMs >= dayMs && periodMs <= maxPeriodMs))
    yield { field: 'rotation_period', description: 'must be from 86400s to 3153600000s' }
}

function* timeFaults({ next_rotation_time }: CryptoKeyUpdate, now: number): Generator<FieldViolation> {
  if (next_rotation_time !== undefined && !(Date.parse(next_rotation_time) > now))
    yield { field: 'next_rotation_time', description: 'must be in the future' }
}

function* windowFaults(
  { destroy_scheduled_duration }: CryptoKeyUpdate,
  minWindowMs: number,
): Generator<FieldViolation> {
  const windowMs = destroy_scheduled_duration === undefined ? maxWindowMs : durationMs(destroy_scheduled_duration)
  if (!(windowMs >= minWindowMs && windowMs <= maxWindowMs))
    yield { field: 'destroy_scheduled_duration', description: `must be from ${minWindowMs / 1000}s to 10368000s` }
}

/** The members of a key that must fit together. */
interface Joined {
  readonly purpose: CryptoKeyPurpose
  readonly algorithm?: CryptoKeyAlgorithm
  readonly rotation_period?: string
  readonly next_rotation_time?: string
}

/**
 * Requires that the members of a new or changed key fit together. Throws ALGORITHM_NOT_ALLOWED, ROTATION_NOT_SUPPORTED
 * or FIELD_INVALID at the field.
 */
export function requireFits({ algorithm, next_rotation_time, purpose, rotation_period }: Joined): void {
  if (purposeOf(schemeOf(algorithm)) !== purpose)
    throw faultAt(algorithmNotAllowed, 'algorithm', `a key of the purpose ${purpose} has no algorithm ${algorithm}`)
  if (rotation_period !== undefined && !isRotated(purpose))
    throw faultAt(
      rotationNotSupported,
      'rotation_period',
      `keys of the purpose ${purpose} are rotated by the call rotate only`,
    )
  const faults = [...periodFaults({ next_rotation_time, rotation_period })]
  if (faults.length > 0) throw fieldInvalid(faults)
}

function* periodFaults({
  next_rotation_time,
  rotation_period,
}: {
  readonly next_rotation_time?: string | undefined
  readonly rotation_period?: string | undefined
}): Generator<FieldViolation> {
  if (next_rotation_time !== undefined && rotation_period === undefined)
    yield { field: 'next_rotation_time', description: 'needs rotation_period beside it' }
}

/** Whether keys of a purpose can have a rotation period. */
const isRotated = (purpose: CryptoKeyPurpose): boolean =>
  purpose === 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT' || purpose === 'VAULT_CRYPTO_KEY_PURPOSE_MAC'
