import { createHash, createPublicKey } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose'
import { assertionInvalid } from '../../../output/iam/errors.ts'
import type { KeyAlgorithm, ServiceAccount } from '../../../output/iam/types.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { Reader } from '../../ports/store.ts'
import { accountKeys, type StoredAccountKey } from '../collections/account-keys-store.ts'
import { serviceAccounts } from '../collections/service-accounts-store.ts'

/** The JWS name of the signature algorithm of each kind of key. */
const algorithms = { EDDSA: 'EdDSA', ES256: 'ES256', RS256: 'RS256' } as const satisfies Record<KeyAlgorithm, string>

/** The maximal lifetime of an assertion in seconds. An assertion is meant for one call. */
const maxSeconds = 300

/** The tolerated difference between the clock of a client and the clock of the server, in seconds. */
const leewaySeconds = 30

const maxIdLength = 256

/** A verified assertion. The caller still has to check earlier use and the state of the account. */
export interface CheckedAssertion {
  readonly account: ServiceAccount
  readonly key: StoredAccountKey
  /** The digest by which the use of the assertion is stored. */
  readonly digest: string
  /** The expiry, in milliseconds since 1970. */
  readonly expireTime: number
}

/**
 * Verifies an assertion of a service account (RFC 7523, iam.md 4.7) for exactly the audience `audience`, and returns
 * its account, key, digest and expiry. `now` is in milliseconds since 1970. Throws ASSERTION_INVALID for every fault.
 */
export async function checkAssertion(
  reader: Reader,
  assertion: string,
  audience: string,
  now: number,
): Promise<CheckedAssertion> {
  const key = await keyOf(reader, assertion, now)
  const account = (await reader.get(serviceAccounts, key.account_id))?.value
  if (account?.status !== 'ACTIVE') throw invalidAssertion()
  const { exp = 0, jti = '' } = await claimsOf(assertion, key, audience, now)
  const digest = createHash('sha256')
    .update(JSON.stringify([account.id, jti]))
    .digest('hex')
  return { account, key, digest, expireTime: exp * 1000 }
}

/** Returns the registered key that the header names. */
async function keyOf(reader: Reader, assertion: string, now: number): Promise<StoredAccountKey> {
  if (!isCanonical(assertion)) throw invalidAssertion()
  const { crit, kid } = headerOf(assertion)
  if (typeof kid !== 'string' || !isUuid(kid) || crit !== undefined) throw invalidAssertion()
  const key = (await reader.get(accountKeys, kid))?.value
  if (key === undefined || !isInForce(key, now)) throw invalidAssertion()
  return key
}

/**
 * Returns whether the unused bits of the last characters are zero, so that no other text encodes the same assertion.
 */
const isCanonical = (assertion: string): boolean =>
  assertion.split('.').every(part => Buffer.from(part, 'base64url').toString('base64url') === part)

/** Returns whether a key is unexpired at `now`, in milliseconds since 1970. */
export const isInForce = ({ expire_time }: Pick<StoredAccountKey, 'expire_time'>, now: number): boolean =>
  expire_time === undefined || Date.parse(expire_time) > now

function headerOf(assertion: string) {
  try {
    return decodeProtectedHeader(assertion)
  } catch {
    throw invalidAssertion()
  }
}

async function claimsOf(
  assertion: string,
  { account_id, algorithm, public_key }: StoredAccountKey,
  audience: string,
  now: number,
): Promise<JWTPayload> {
  const options = {
    algorithms: [algorithms[algorithm]],
    issuer: account_id,
    subject: account_id,
    requiredClaims: ['iat', 'exp', 'jti'],
    currentDate: new Date(now),
  }
  try {
    const { payload } = await jwtVerify(assertion, createPublicKey(public_key), options)
    if (isForOneCall(payload, audience, now)) return payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
  }
  throw invalidAssertion()
}

/**
 * Returns whether the claims of an assertion are for one call: exactly one audience, a short lifetime, and an id. An
 * assertion for two servers could be replayed at the other server.
 */
function isForOneCall({ aud, exp, iat, jti }: JWTPayload, audience: string, now: number): boolean {
  const [only, ...others] = [aud].flat()
  if (only !== audience || others.length > 0) return false
  if (exp === undefined || iat === undefined || iat > now / 1000 + leewaySeconds || exp - iat > maxSeconds) return false
  return typeof jti === 'string' && jti.length > 0 && jti.length <= maxIdLength
}

/** Returns the error for every fault of an assertion. */
export const invalidAssertion = () =>
  assertionInvalid('the assertion is not valid, or its service account gets no token now')
