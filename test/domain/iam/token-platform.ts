import { tokenForms } from '../../../domain/iam/sessions/tokens.ts'
import { formed } from './formed.ts'
import { expect } from 'vitest'
import type { Decisions } from '../../../domain/iam/interfaces/decisions.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import type { Passwords } from '../../../domain/iam/interfaces/passwords.ts'
import { makeServiceAccount } from '../../../domain/iam/service-accounts/make-service-account.ts'
import { ServiceAccounts } from '../../../domain/iam/service-accounts/service-accounts.ts'
import { serviceAccounts } from '../../../domain/iam/collections/service-accounts-store.ts'
import { passwords, type StoredUser } from '../../../domain/iam/collections/users-store.ts'
import type { AccessTokens } from '../../../domain/iam/sessions/access-tokens.ts'
import type { SigningKeys } from '../../../domain/iam/sessions/signing-keys.ts'
import type { Authenticator } from '../../../domain/iam/sessions/token-authenticator.ts'
import { Tokens } from '../../../domain/iam/sessions/tokens.ts'
import { authenticate } from '../../../domain/iam/sign-in/password-sign-in.ts'
import { throttleOf } from '../../../domain/iam/sign-in/sign-in-throttle.ts'
import { defaultThrottleLimits, type ThrottleLimits } from '../../../domain/iam/sign-in/throttle-rules.ts'
import type { VisibleRows } from '../../../domain/ports/access.ts'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { startTaxonomy } from '../../../domain/taxonomy/area.ts'
import { tokensList } from '../../../output/iam/filters.ts'
import type { Token, TokenResponse } from '../../../output/iam/types.ts'
import type { CallContext, Principal } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { ListParameters } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { outbox, type OutboxRow } from '../../../domain/resources/activity-outbox.ts'
import { preparedPlace, storeAt } from '../../server/store/harness.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'
import { callContext, listing } from './calls.ts'
import { collections, iamEnvironment } from './iam-environment.ts'
import { insertUser, userRow } from './rows.ts'

/** Stands in for password hashing at no cost; the hashes contain the plain password. */
const plainPasswords: Passwords = {
  requireRoom() {},
  hash: async password => `$2$${password}`,
  verify: async (hash, password) => hash === `$1$${password}` || hash === `$2$${password}`,
  isOutdated: hash => hash.startsWith('$1$'),
  weakness: async () => undefined,
  async store() {},
}

/** A server with the tokens of iam on a store; its other parts are stand-ins. */
export interface TokenPlatform {
  readonly store: Store
  readonly parts: IamEnvironment
  readonly accessTokens: AccessTokens
  readonly keys: SigningKeys
  readonly authenticator: Authenticator
  readonly tokens: Tokens
  readonly serviceAccounts: ServiceAccounts
  /** The time that the test sets, in milliseconds since 1970. */
  readonly time: { now: number }
  /** The rows that filtered lists show to callers, and whether callers may revoke the tokens of others. */
  readonly seen: { visible: VisibleRows; mayRevoke: boolean }
  /** The ids of the principals that the decisions treat as inactive. */
  readonly inactive: Set<string>
  signIn(email: string, password: string, context?: Partial<CallContext>): Promise<TokenResponse>
  refresh(refresh_token: string, context?: Partial<CallContext>): Promise<TokenResponse>
  list(parameters: ListParameters, principal: Principal): Promise<Token[]>
  /** Returns the reason why a token is refused, or `OK`. */
  admission(token: string): Promise<string>
  activities(): Promise<OutboxRow[]>
}

let hosts = 0

/** Returns an address in a network that no earlier call has used. */
export const someAddress = (): string => `10.${Math.floor(++hosts / 250)}.${hosts % 250}.7`

export interface PlatformOptions {
  readonly limits?: ThrottleLimits
  /** A place that another platform serves too. */
  readonly place?: string
  readonly now?: number
  readonly passwords?: Passwords
  /** Returns a wrapped store that replaces the store of the platform. */
  readonly wrap?: (store: Store) => Store
}

const unasked = async (): Promise<never> => {
  throw new Error('tokens called a decision that they must not use')
}

/** Returns decisions that know only which principals are inactive, and that throw for every other question. */
const decisionsBut = (inactive: ReadonlySet<string>): Decisions => ({
  isActive: async id => !inactive.has(id),
  decide: unasked,
  visible: unasked,
  hangsOnResource: unasked,
  chain: unasked,
  stateOf: unasked,
})

const accessTo = (seen: TokenPlatform['seen']): IamEnvironment['access'] => ({
  async require() {
    if (!seen.mayRevoke) throw new ApiError({ reason: 'IAM_PERMISSION_DENIED', rpc: 'PERMISSION_DENIED' }, 'denied')
  },
  holds: async () => seen.mayRevoke,
  visible: async () => seen.visible,
})

export async function tokenPlatform(options: PlatformOptions = {}): Promise<TokenPlatform> {
  const { limits = defaultThrottleLimits, now = Date.parse('2026-05-01T12:00:00Z'), wrap = same => same } = options
  const store = wrap(await storeAt(options.place ?? (await preparedPlace(collections)), ...collections))
  const time = { now }
  await store.tx(tx => startTaxonomy(tx, now))
  const seen: TokenPlatform['seen'] = { visible: 'everything', mayRevoke: true }
  const inactive = new Set<string>()
  const { accessTokens, authenticator, keys, parts } = iamEnvironment({
    store,
    now: () => time.now,
    decisions: decisionsBut(inactive),
    access: accessTo(seen),
    passwords: options.passwords ?? plainPasswords,
    throttle: throttleOf({ store, limits, key: new Uint8Array(32) }),
  })
  await authenticator.start()
  const tokens = formed(new Tokens(parts, accessTokens), tokenForms)
  return {
    store,
    parts,
    accessTokens,
    keys,
    authenticator,
    tokens,
    serviceAccounts: new ServiceAccounts(parts),
    time,
    seen,
    inactive,
    signIn: (email, password, given) =>
      valueOf(authenticate(parts, { body: { email, password } }, callContext(time.now, given))),
    refresh: (refresh_token, given) =>
      valueOf(tokens.refreshToken({ body: { refresh_token } }, callContext(time.now, given))),
    async list(parameters, principal) {
      const { items } = await tokens.listTokens(
        {},
        listing(callContext(time.now, { principal }), tokensList, parameters),
      )
      return Promise.all(items.map(item => valueOf<Token>(Promise.resolve(item))))
    },
    admission: token => outcomeOf(authenticator.authenticate(`Bearer ${token}`)),
    async activities() {
      const rows: OutboxRow[] = []
      for await (const { value } of store.each(outbox)) rows.push(value)
      return rows
    },
  }
}

/** Adds an ACTIVE user with a password; returns the id of the user. */
export async function addUser(
  { parts, store, time }: TokenPlatform,
  email: string,
  password: string,
  given: Partial<StoredUser> = {},
): Promise<string> {
  const user = userRow({ id: parts.clock.newId(), time: formatMillis(time.now) }, { email, ...given })
  const hash = await parts.passwords.hash(password)
  await store.tx(async tx => {
    await insertUser(tx, user)
    await tx.insert(passwords, { id: user.id, hash, history: [] })
  })
  return user.id
}

/**
 * Returns the id of the service account `name` in the platform's workspace; creates the account if it does not exist.
 */
export const addAccount = ({ parts, store }: TokenPlatform, name = 'default'): Promise<string> =>
  store.tx(async tx => {
    const known = await tx.find(serviceAccounts, { workspace_id: platformWorkspaceId, name })
    if (known) return known.id
    const made = { workspace: platformWorkspaceId, name, managed_by: 'PLATFORM' } as const
    return (await makeServiceAccount(parts, tx, made)).id
  })

/** Returns the access token and the refresh token of a response; fails if the refresh token is missing. */
export function sessionTokens(answer: TokenResponse): { readonly access: string; readonly refresh: string } {
  expect(answer.refresh_token).toBeDefined()
  return { access: answer.access_token, refresh: answer.refresh_token ?? '' }
}
