import { createHash } from 'node:crypto'
import { ingestKeyWeak } from '../../../output/observability/errors.ts'
import type { IngestKeyInput } from '../../../output/observability/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import type { StoredIngestionConfig, StoredKey } from './ingestion-configs-store.ts'

/** The lengths that a key may have, and the number of different characters that it needs. */
const [minLength, maxLength, minDifferent] = [32, 256, 10]

const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/**
 * Returns whether a text is a key of an ingestion config that has not expired; `now` is in milliseconds since 1970. Only
 * hashes are compared, so the time that a comparison takes tells nothing about a key.
 */
export function hasKey({ ingest_keys }: Pick<StoredIngestionConfig, 'ingest_keys'>, secret: string, now: number) {
  const hash = sha256(secret)
  return ingest_keys.some(
    key => key.sha256 === hash && (key.expire_time === undefined || Date.parse(key.expire_time) > now),
  )
}

/** Throws INGEST_KEY_WEAK if a key could be guessed, with a violation for each such key. */
export function requireStrongKeys(keys: readonly IngestKeyInput[] = []): void {
  const weak = keys.flatMap(({ secret }, i) => {
    const description = secret === undefined ? undefined : weaknessOf(secret)
    return description === undefined ? [] : [{ field: `ingest_keys[${i}].secret`, description }]
  })
  const [first] = weak
  if (first) throw ingestKeyWeak(`${first.field} ${first.description}`, { badRequest: weak })
}

function weaknessOf(secret: string): string | undefined {
  if (secret.length < minLength || secret.length > maxLength) return `must have ${minLength} to ${maxLength} characters`
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'must have printable ASCII characters only, and no blank'
  if (new Set(secret).size < minDifferent) return `must have at least ${minDifferent} different characters`
  return undefined
}

/** Returns the stored form of keys; a key without a secret keeps the hash of the stored key with its name. */
export const storedKeys = (keys: readonly IngestKeyInput[], stored: readonly StoredKey[] = []): StoredKey[] =>
  keys.map(({ secret, ...key }) => ({
    ...withAnsweredTimes(key, 'expire_time'),
    sha256: secret === undefined ? (stored.find(({ name }) => name === key.name)?.sha256 ?? '') : sha256(secret),
  }))

/** Throws FIELD_INVALID for keys of an update that have neither a secret nor a stored hash. */
export function requireHashes(keys: readonly StoredKey[]): void {
  const faults = keys.flatMap(({ sha256: hash }, i) => (hash === '' ? [missingSecret(i)] : []))
  if (faults.length > 0) throw fieldInvalid(faults)
}

/** The fault of a new key without a secret. */
export const missingSecret = (i: number): FieldViolation => ({
  field: `ingest_keys[${i}].secret`,
  description: 'is required for a new key',
})
