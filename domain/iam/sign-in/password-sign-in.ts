import { invalidCredentials } from '../../../output/iam/errors.ts'
import type { AuthenticateRequest, TokenResponse } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import type { Transaction } from '../../ports/store.ts'
import { normalEmail } from '../values/email.ts'
import { homeOf } from '../values/home-scope.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import type { Passwords } from '../interfaces/passwords.ts'
import { unlessBusy } from '../interfaces/throttle.ts'
import { passwords, users, type StoredPassword, type StoredUser } from '../collections/users-store.ts'
import { platform } from '../../ports/access.ts'

/** A user whose password was verified, and the hash that matched. */
interface Proved {
  readonly user: StoredUser
  readonly hash: string
  /** The new hash of the password, if the hashing parameters have changed. */
  readonly renewed: string | undefined
}

/** An id that no user has, so that no password is found. */
const nobody = 'nobody'

/**
 * Opens a session for an address and a password (iam.md 4.7). Throws AUTHENTICATION_THROTTLED if the throttle refuses
 * the attempt or too many passwords are being checked. Throws the same error INVALID_CREDENTIALS for an unknown
 * address, a user that is not ACTIVE and a wrong password; each of the three cases costs one verification.
 */
export async function authenticate(
  parts: IamEnvironment,
  { body }: AuthenticateRequest,
  context: CallContext,
): Promise<Answer<TokenResponse>> {
  // A refused call costs less than an admitted call only before the store counts the attempt and finds the user.
  parts.passwords.requireRoom()
  const email = normalEmail(body.email)
  const attempt = await parts.throttle.password(email, context)
  const user = (await parts.store.find(users, { email }))?.value
  const proved = await unlessBusy(attempt, prove(parts, user, body.password))
  await parts.sessions.ready?.()
  const answer = proved && (await parts.store.tx(tx => open(parts, tx, proved, context)))
  if (answer === undefined) {
    await parts.audit.recordRefusal(parts.store, signIn(user, 'DENIED', context))
    throw invalidCredentials('address and password do not belong to an active user')
  }
  await attempt.succeed()
  return answer
}

async function prove(
  { passwords: hashing, store }: IamEnvironment,
  user: StoredUser | undefined,
  password: string,
): Promise<Proved | undefined> {
  const stored = (await store.get(passwords, user?.id ?? nobody))?.value
  const hash = user?.status === 'ACTIVE' && stored?.hash ? stored.hash : undefined
  const fits = await hashing.verify(hash, password)
  if (!fits || user === undefined || hash === undefined) return undefined
  return { user, hash, renewed: hashing.isOutdated(hash) ? await renew(hashing, password) : undefined }
}

/** Returns a new hash of the password; undefined if hashing fails, because the next sign-in can renew the hash. */
async function renew(hashing: Passwords, password: string): Promise<string | undefined> {
  try {
    return await hashing.hash(password)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Opens the session; returns undefined if the user has changed since the verification of the password. */
async function open(
  { audit, feed, sessions }: IamEnvironment,
  tx: Transaction,
  { hash, renewed, user: { email, id } }: Proved,
  context: CallContext,
): Promise<TokenResponse | undefined> {
  if (await sessions.isFull?.(tx, { id }, context.now)) await feed.hold(tx)
  const user = await tx.lock(users, id)
  const password = await tx.lock(passwords, id)
  if (user?.value.status !== 'ACTIVE' || user.value.email !== email || password?.value.hash !== hash) return undefined
  const answer = await sessions.open(tx, user.value, context)
  await tx.update(users, id, { ...user.value, last_authenticate_time: formatMillis(context.now) }, user.version)
  if (renewed !== undefined) {
    const next: StoredPassword = { ...password.value, hash: renewed }
    await tx.update(passwords, id, next, password.version)
  }
  await audit.recordActivity(tx, signIn(user.value, 'SUCCEEDED', context))
  return answer
}

/**
 * Returns the activity of a sign-in. The activity contains no unknown address, because users sometimes type their
 * password into the field of the address.
 */
function signIn(user: StoredUser | undefined, outcome: 'SUCCEEDED' | 'DENIED', context: CallContext): Activity {
  const caller = calledBy(context)
  const isProved = user !== undefined && outcome === 'SUCCEEDED'
  return {
    ...caller,
    ...(isProved && { principalId: user.id, principalKind: 'USER' }),
    category: 'AUTHENTICATION',
    area: 'iam',
    action: 'authenticate',
    resourceType: 'iam.users',
    resourceId: user?.id ?? '',
    scope: user ? homeOf({ ...user, workspace_id: '' }) : platform,
    outcome,
    ...(outcome === 'DENIED' && { rpc: 'UNAUTHENTICATED' }),
    reason: outcome === 'DENIED' ? 'INVALID_CREDENTIALS' : '',
    changedFields: [],
    operationId: '',
  }
}
