import type { ServiceAccount, TokenResponse } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { AccessTokens } from './access-tokens.ts'
import { accountKeys, spentAssertions } from '../collections/account-keys-store.ts'
import { checkAssertion, invalidAssertion, type CheckedAssertion } from './assertions.ts'
import { networkOf } from '../../addresses/networks.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { serviceAccounts } from '../collections/service-accounts-store.ts'
import { shortAgent } from './session-tokens.ts'
import { accessTokenMs } from '../values/token-lives.ts'
import { familyAnswer } from './token-response.ts'
import { keptUntil, tokens, unrevokedOf, type StoredToken } from '../collections/tokens-store.ts'

type ExchangeServices = Pick<IamEnvironment, 'store' | 'clock' | 'audit' | 'taxonomy' | 'settings'> & {
  readonly accessTokens: AccessTokens
}

/** Returns the audience that assertions for this call must have. */
const audienceOf = ({ baseUrl }: IamEnvironment['settings']): string => `${baseUrl}/iam/v1/tokens:refresh`

/**
 * Exchanges an assertion of a service account for an access token, once (iam.md 4.7), and returns the response. Throws
 * ASSERTION_INVALID for every fault, and also while the home workspace is not effectively ACTIVE.
 */
export async function exchangeAssertion(
  parts: ExchangeServices,
  assertion: string,
  context: CallContext,
): Promise<TokenResponse> {
  const { accessTokens, clock, settings, store } = parts
  const checked = await checkAssertion(store, assertion, audienceOf(settings), context.now)
  await accessTokens.ready()
  const fresh = clock.newId()
  const family = await store.tx(async tx => {
    const account = await lockAccount(parts, tx, checked)
    await spend(tx, checked)
    return use(parts, tx, account, checked, fresh, context)
  })
  return familyAnswer(accessTokens, family, context.now)
}

/**
 * Locks and returns the account. Throws ASSERTION_INVALID unless its workspace is effectively ACTIVE, the account is
 * ACTIVE, and the verified key still exists.
 */
async function lockAccount(
  { taxonomy }: ExchangeServices,
  tx: Transaction,
  { account: { id, workspace_id }, key }: CheckedAssertion,
): Promise<Stored<ServiceAccount>> {
  try {
    await taxonomy.requireActive(tx, workspace_id)
  } catch (error) {
    if (error instanceof ApiError && error.reason.startsWith('WORKSPACE_NOT_')) throw invalidAssertion()
    throw error
  }
  const stored = await tx.lock(serviceAccounts, id)
  if (stored?.value.status === 'ACTIVE' && (await tx.get(accountKeys, key.id))) return stored
  throw invalidAssertion()
}

/**
 * Stores the use of an assertion, under the lock of the account. Of two concurrent calls with one assertion, the second
 * finds the row of the first and is refused.
 */
async function spend(tx: Transaction, { digest: id, expireTime }: CheckedAssertion): Promise<void> {
  if (await tx.get(spentAssertions, id)) throw invalidAssertion()
  await tx.insert(spentAssertions, { id, expire_time: formatMillis(expireTime) })
}

/**
 * Records an access token in the token family of account and key, and returns the family. The first exchange creates
 * the family, and so does the first exchange after the end of a family.
 */
async function use(
  { audit }: ExchangeServices,
  tx: Transaction,
  { id, value, version }: Stored<ServiceAccount>,
  { key }: CheckedAssertion,
  fresh: string,
  context: CallContext,
): Promise<StoredToken> {
  const time = formatMillis(context.now)
  await tx.update(serviceAccounts, id, { ...value, last_authenticate_time: time }, version)
  const stored = await tx.find(tokens, { ...unrevokedOf(id), key_id: key.id })
  const { clientAddress, now } = context
  // The expiry of an access token is in whole seconds, so the family uses whole seconds too.
  const times = { expire_time: formatMillis(Math.floor(now / 1000) * 1000 + accessTokenMs) }
  const latest = {
    ...times,
    last_refresh_ip: clientAddress,
    network: networkOf(clientAddress),
    keep_until: keptUntil(times),
  }
  if (stored) {
    const next: StoredToken = { ...stored.value, ...latest, last_refresh_time: time }
    await tx.update(tokens, stored.id, next, stored.version)
    return next
  }
  const family = { ...newFamily(fresh, value, key.id, context), ...latest }
  await tx.insert(tokens, family)
  await audit.recordActivity(tx, signedIn(family, context))
  return family
}

const newFamily = (
  id: string,
  { id: account, workspace_id }: ServiceAccount,
  key: string,
  { now, userAgent = '' }: CallContext,
) =>
  ({
    id,
    principal_id: account,
    principal_kind: 'SERVICE_ACCOUNT',
    kind: 'SERVICE_ACCOUNT',
    created: formatMillis(now),
    user_agent: shortAgent(userAgent),
    home_type: 'WORKSPACE',
    home_id: workspace_id,
    key_id: key,
  }) as const

const signedIn = (family: StoredToken, context: CallContext): Activity => ({
  ...calledBy(context),
  principalId: family.principal_id,
  principalKind: 'SERVICE_ACCOUNT',
  category: 'AUTHENTICATION',
  area: 'iam',
  resourceType: 'iam.tokens',
  resourceId: family.id,
  scope: { type: family.home_type, id: family.home_id },
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
