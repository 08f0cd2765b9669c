import type { IamArea } from '../../../output/iam/area.ts'
import { expect } from 'vitest'
import { iamCollections } from '../../../domain/iam/area.ts'
import { AccessTokens } from '../../../domain/iam/sessions/access-tokens.ts'
import { authenticate } from '../../../domain/iam/sign-in/password-sign-in.ts'
import { Authenticator } from '../../../domain/iam/sessions/token-authenticator.ts'
import type { Decisions } from '../../../domain/iam/interfaces/decisions.ts'
import type { ChangeKind, Feed } from '../../../domain/iam/interfaces/feed.ts'
import { makeServiceAccount } from '../../../domain/iam/service-accounts/make-service-account.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import type { Passwords } from '../../../domain/iam/interfaces/passwords.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { ServiceAccounts } from '../../../domain/iam/service-accounts/service-accounts.ts'
import { serviceAccounts } from '../../../domain/iam/collections/service-accounts-store.ts'
import { sessionsOf } from '../../../domain/iam/sessions/session-tokens.ts'
import { SigningKeys } from '../../../domain/iam/sessions/signing-keys.ts'
import { throttleOf } from '../../../domain/iam/sign-in/sign-in-throttle.ts'
import { defaultThrottleLimits, type ThrottleLimits } from '../../../domain/iam/sign-in/throttle-rules.ts'
import { Tokens } from '../../../domain/iam/sessions/tokens.ts'
import { passwords, principalOfUser, users, type StoredUser } from '../../../domain/iam/collections/users-store.ts'
import type { VisibleRows } from '../../../domain/ports/access.ts'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { startTaxonomy, taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList, tokensList } from '../../../output/iam/filters.ts'
import type { IamOperation, Token, TokenResponse } from '../../../output/iam/types.ts'
import { checkIamOperation } from '../../../output/iam/validators.ts'
import type { CallContext, ListContext, Principal } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { listQuery, type ListParameters } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { outbox, outboxAudit, type OutboxRow } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { preparedPlace, storeAt } from '../../server/store/harness.ts'
import { valueOf } from '../outcomes.ts'

export const collections = [
  ...iamCollections,
  ...taxonomyCollections,
  outbox,
  rememberedKeys,
  operationsCollection<IamOperation>('iam', operationsList),
]

export const baseUrl = 'https://iam.test'

/** A feed of one process: tells its listeners at the commit. */
class OwnFeed implements Feed {
  readonly #listeners: ((kind: ChangeKind, key: string) => void)[] = []
  #revision = 0

  listen(listener: (kind: ChangeKind, key: string) => void): void {
    this.#listeners.push(listener)
  }

  async hold(): Promise<void> {}

  async revise(tx: Parameters<Feed['revise']>[0], kind: ChangeKind, key: string): Promise<number> {
    tx.afterCommit(() => this.#listeners.forEach(listener => listener(kind, key)))
    this.#revision += 1
    return this.#revision
  }

  revised(): undefined {}

  async isFollowed(): Promise<boolean> {
    return false
  }

  requireFresh(): void {}

  async settled(): Promise<boolean> {
    return true
  }

  async isSettled(): Promise<boolean> {
    return true
  }
}

/** Hashes that cost nothing and are no secret of anybody. */
const plainPasswords: Passwords = {
  hash: async password => `$2$${password}`,
  verify: async (hash, password) => hash === `$1$${password}` || hash === `$2$${password}`,
  isOutdated: hash => hash.startsWith('$1$'),
  weakness: async () => undefined,
  async store() {},
}

/** One server with the tokens of iam on a store; everything else of it is faked to allow all. */
export interface TokenPlatform {
  readonly store: Store
  readonly parts: IamEnvironment
  readonly accessTokens: AccessTokens
  readonly keys: SigningKeys
  readonly authenticator: Authenticator
  readonly tokens: Tokens
  readonly serviceAccounts: ServiceAccounts
  /** The time, which tests set; milliseconds since 1970. */
  readonly time: { now: number }
  /** The rows that filtered lists show to callers. */
  readonly seen: { visible: VisibleRows; mayRevoke: boolean }
  /** Principals that `decisions` has for inactive. */
  readonly inactive: Set<string>
  signIn(email: string, password: string, context?: Partial<CallContext>): Promise<TokenResponse>
  refresh(refresh_token: string, context?: Partial<CallContext>): Promise<TokenResponse>
  list(parameters: ListParameters, principal: Principal): Promise<Token[]>
  /** The reason that a header is refused with; `ok` when it is not. */
  admission(token: string): Promise<string>
  activities(): Promise<OutboxRow[]>
}

/** The parts that tokens do not use. */
const unasked = async (): Promise<never> => {
  throw new Error('tokens ask for what is none of theirs')
}

let hosts = 0

/** An address in a network of its own. */
export const someAddress = (): string => `10.${Math.floor(++hosts / 250)}.${hosts % 250}.7`

export function callContext(now: number, given: Partial<CallContext> = {}): CallContext {
  return {
    principal: undefined,
    operation: { area: 'iam', operationId: 'test', permission: '' },
    method: 'POST',
    path: '/iam/v1/test',
    requestId: 'request',
    traceId: '0'.repeat(31) + '1',
    idempotencyKey: undefined,
    clientAddress: '192.0.2.1',
    userAgent: 'test/1',
    signal: new AbortController().signal,
    now,
    ...given,
  }
}

/** The reason of an error. */
export async function reasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}

export interface PlatformOptions {
  readonly limits?: ThrottleLimits
  /** A place that another platform serves too. */
  readonly place?: string
  readonly now?: number
  readonly passwords?: Passwords
  /** The store of a place, with the test's changes. */
  readonly wrap?: (store: Store) => Store
}

export async function tokenPlatform(options: PlatformOptions = {}): Promise<TokenPlatform> {
  const { limits = defaultThrottleLimits, now = Date.parse('2026-05-01T12:00:00Z'), wrap = same => same } = options
  const opened = await storeAt(options.place ?? (await preparedPlace(collections)), ...collections)
  const store = wrap(opened)
  const time = { now }
  const clock = createClock(() => time.now)
  await store.tx(tx => startTaxonomy(tx, now))
  const audit = outboxAudit(clock, taxonomyFunctions)
  const operations = operationsOf<IamArea>(
    { store, clock, audit, queue: new WorkQueue() },
    { domain: iam, list: operationsList, check: checkIamOperation },
  )
  const seen: TokenPlatform['seen'] = { visible: 'everything', mayRevoke: true }
  const inactive = new Set<string>()
  const keys = new SigningKeys({ store, clock })
  const accessTokens = new AccessTokens(keys, { baseUrl })
  const feed = new OwnFeed()
  const decisions: Decisions = {
    isActive: async id => !inactive.has(id),
    decide: unasked,
    visible: unasked,
    hangsOnResource: unasked,
    chain: unasked,
  }
  const parts: IamEnvironment = {
    store,
    clock,
    audit,
    operations,
    feed,
    decisions,
    taxonomy: taxonomyFunctions,
    passwords: options.passwords ?? plainPasswords,
    sessions: sessionsOf({ accessTokens, clock, feed }),
    throttle: throttleOf({ store, limits, key: new Uint8Array(32) }),
    settings: { baseUrl, consoleUrl: baseUrl },
    access: {
      async require() {
        if (!seen.mayRevoke) throw new ApiError({ reason: 'IAM_PERMISSION_DENIED', rpc: 'PERMISSION_DENIED' }, 'denied')
      },
      holds: async () => seen.mayRevoke,
      visible: async () => seen.visible,
    },
    functions: {},
    catalogue: { permissions: [], find: () => undefined, resourceTypes: new Set(), matching: () => [] },
    mailer: { isConfigured: false, send: unasked },
  }
  const authenticator = new Authenticator({ store, clock, decisions, accessTokens, taxonomy: taxonomyFunctions })
  feed.listen((kind, key) => authenticator.changed(kind, key))
  await authenticator.start()
  const tokens = new Tokens(parts, accessTokens)
  const tokenKey = { sign: () => '', open: () => [] }
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
      const query = listQuery(parameters, tokensList, tokenKey, '', time.now)
      const context: ListContext = { ...callContext(time.now, { principal }), query }
      const { items } = await tokens.listTokens({}, context)
      return Promise.all(items.map(item => valueOf<Token>(Promise.resolve(item))))
    },
    admission: token => reasonOf(authenticator.authenticate(`Bearer ${token}`)),
    async activities() {
      const rows: OutboxRow[] = []
      for await (const { value } of store.each(outbox)) rows.push(value)
      return rows
    },
  }
}

/** Adds an ACTIVE user with a password; answers its id. */
export async function addUser(
  { parts, store, time }: TokenPlatform,
  email: string,
  password: string,
  given: Partial<StoredUser> = {},
): Promise<string> {
  const created = formatMillis(time.now)
  const user: StoredUser = {
    id: parts.clock.newId(),
    email,
    display_name: email,
    organisation_id: '',
    locale: '',
    time_zone: '',
    labels: {},
    status: 'ACTIVE',
    has_avatar: false,
    invited_by: '',
    etag: '1',
    created,
    updated: created,
    ...given,
  }
  const hash = await parts.passwords.hash(password)
  await store.tx(async tx => {
    await tx.insert(users, user)
    await tx.insert(principals, principalOfUser(user))
    await tx.insert(passwords, { id: user.id, hash, history: [] })
  })
  return user.id
}

/** The service account of that name in the platform's workspace, which is made unless it is there; answers its id. */
export const addAccount = ({ parts, store }: TokenPlatform, name = 'default'): Promise<string> =>
  store.tx(async tx => {
    const known = await tx.find(serviceAccounts, { workspace_id: platformWorkspaceId, name })
    if (known) return known.id
    const made = { workspace: platformWorkspaceId, name, managed_by: 'PLATFORM' } as const
    return (await makeServiceAccount(parts, tx, made)).id
  })

/** The tokens that `expect` compares of an answer. */
export function sessionTokens(answer: TokenResponse): { readonly access: string; readonly refresh: string } {
  expect(answer.refresh_token).toBeDefined()
  return { access: answer.access_token, refresh: answer.refresh_token ?? '' }
}
