import { algorithmNotAllowed, rotationNotSupported } from '../../../output/vault/errors.ts'
import type {
  CryptoKeyAlgorithm,
  CryptoKeyInput,
  CryptoKeyPurpose,
  CryptoKeyUpdate,
} from '../../../output/vault/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { durationMs } from '../values/durations.ts'
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

/**
 * Checks the members of a new key or of an update whose rules the schema does not have (step 5). Throws FIELD_INVALID
 * with all faults. `now` and `minWindowMs`, the smallest window in which a destruction can be cancelled, are in
 * milliseconds.
 */
export function requireKeyForm(
  body: CryptoKeyInput | CryptoKeyUpdate,
  { minWindowMs, now }: { readonly minWindowMs: number; readonly now: number },
): void {
  const faults = [...timeFaults(body, now), ...windowFaults(body, minWindowMs)]
  if (faults.length > 0) throw fieldInvalid(faults)
}

function* timeFaults({ next_rotation_time, rotation_period }: CryptoKeyUpdate, now: number): Generator<FieldViolation> {
  const periodMs = rotation_period === undefined ? dayMs : durationMs(rotation_period)
  if (!(periodMs >= dayMs && periodMs <= maxPeriodMs))
    yield { field: 'rotation_period', description: 'must be from 86400s to 3153600000s' }
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
  if (next_rotation_time !== undefined && rotation_period === undefined)
    throw fieldInvalid([{ field: 'next_rotation_time', description: 'needs rotation_period beside it' }])
}

/** Whether keys of a purpose can have a rotation period. */
const isRotated = (purpose: CryptoKeyPurpose): boolean =>
  purpose === 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT' || purpose === 'VAULT_CRYPTO_KEY_PURPOSE_MAC'
