import { createHmac } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { bindings, holdsAt } from '../../../domain/iam/collections/bindings-store.ts'
import { Bindings } from '../../../domain/iam/grants/bindings.ts'
import { iamCollections } from '../../../domain/iam/area.ts'
import type { ChangeKind, Feed } from '../../../domain/iam/interfaces/feed.ts'
import { LiveDecisions } from '../../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../../domain/iam/feed/live-feed.ts'
import { makeServiceAccount } from '../../../domain/iam/service-accounts/make-service-account.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import { Policies } from '../../../domain/iam/policies/policies.ts'
import { Principals } from '../../../domain/iam/service-accounts/principals.ts'
import { principals, writePrincipal } from '../../../domain/iam/collections/principals-store.ts'
import { Roles } from '../../../domain/iam/roles/roles.ts'
import { ScopeAccess } from '../../../domain/iam/grants/scope-access.ts'
import { scopePurgeProcedure } from '../../../domain/iam/scope-purge.ts'
import { syncPredefinedRoles } from '../../../domain/iam/roles/sync-roles.ts'
import { principalOfUser, users, type StoredUser } from '../../../domain/iam/collections/users-store.ts'
import { Users } from '../../../domain/iam/users/users.ts'
import type { Collection, Store } from '../../../domain/ports/store.ts'
import { taxonomyCollections, startTaxonomy } from '../../../domain/taxonomy/area.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { groups, workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { newWorkspace } from '../../../domain/taxonomy/workspaces.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList } from '../../../output/iam/filters.ts'
import type {
  Binding,
  IamOperation,
  PolicyEffect,
  ParsedPolicy,
  ParsedPolicyStatement,
} from '../../../output/iam/types.ts'
import { checkIamOperation } from '../../../output/iam/validators.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { pageTokens } from '../../../runtime/page-token.ts'
import { listQuery, nextToken, type ListParameters, type Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { accessOf } from '../../../server/access/access-of.ts'
import { outbox, outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { areaRecords, operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { workCollections } from '../../../server/operations/workers.ts'
import { testStore } from '../../server/store/harness.ts'
import { testCatalogue } from './test-catalogue.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

const collections: readonly Collection<never>[] = [
  ...taxonomyCollections,
  ...workCollections,
  outbox,
  rememberedKeys,
  operationsCollection<IamOperation>('iam', operationsList),
  ...iamCollections,
]

/** A platform whose handlers administer access; the door is the test's. */
export interface Administration {
  readonly parts: IamEnvironment
  readonly store: Store
  readonly bindings: Bindings
  readonly roles: Roles
  readonly policies: Policies
  readonly principals: Principals
  readonly access: ScopeAccess
  readonly users: Users
  /** The changes that every server was told. */
  readonly changes: { readonly kind: ChangeKind; readonly key: string }[]
  /** The revision of the last change of a key. */
  readonly revised: Map<string, number>
  /** Moves the clock. */
  readonly later: (millis: number) => void
  readonly now: () => number
  readonly as: (principal: string, more?: Partial<CallContext>) => CallContext
  readonly organisation: (name: string) => Promise<Scope>
  readonly group: (organisation: Scope, name: string, parent?: Scope) => Promise<Scope>
  readonly workspace: (organisation: Scope, name: string, parent?: Scope) => Promise<Scope>
  readonly user: (name: string, more?: Partial<StoredUser>) => Promise<string>
  readonly program: (workspace: Scope, name: string) => Promise<string>
  /** Writes a binding past all rules. */
  readonly bind: (principal: string, role: string, scope: Scope, terms?: Partial<Binding>) => Promise<string>
}

export const platformScope: Scope = { type: 'PLATFORM', id: '' }

/** Records the changes of a feed. */
function recordingFeed(feed: Feed, { changes, revised }: Pick<Administration, 'changes' | 'revised'>): Feed {
  return {
    revised: tx => feed.revised(tx),
    isFollowed: tx => feed.isFollowed(tx),
    hold: tx => feed.hold(tx),
    settled: revision => feed.settled(revision),
    requireFresh: () => feed.requireFresh(),
    isSettled: revision => feed.isSettled(revision),
    async revise(tx, kind, key) {
      const rev = await feed.revise(tx, kind, key)
      tx.afterCommit(() => {
        changes.push({ kind, key })
        revised.set(key, Math.max(rev, revised.get(key) ?? 0))
      })
      return rev
    },
  }
}

const unused = (): never => {
  throw new Error('is not part of this test')
}

/** Opens a platform over an empty store, with the predefined roles. */
export async function administration(): Promise<Administration> {
  const store = await testStore(...collections)
  let ahead = 0
  const clock = createClock(() => Date.now() + ahead)
  const changes: Administration['changes'] = []
  const revised: Administration['revised'] = new Map()
  const taxonomy = taxonomyFunctions
  const resolveResource = async () => undefined
  const decisions = new LiveDecisions({ store, taxonomy, catalogue: testCatalogue, resolveResource })
  const feed = new LiveFeed({ store, clock, listeners: [decisions] })
  const queue = new WorkQueue()
  const shared = { store, clock, queue, audit: outboxAudit(clock, taxonomy) }
  const parts: IamEnvironment = {
    ...shared,
    access: accessOf({ decisions, taxonomy, reader: store }),
    functions: {},
    operations: operationsOf(shared, { domain: iam, list: operationsList, check: checkIamOperation }),
    taxonomy,
    settings: { baseUrl: 'http://platform.test', consoleUrl: 'http://platform.test' },
    catalogue: testCatalogue,
    feed: recordingFeed(feed, { changes, revised }),
    decisions,
    sessions: { open: unused, endAll: async () => {} },
    passwords: { hash: unused, verify: unused, isOutdated: unused, weakness: unused, store: async () => {} },
    throttle: { password: unused, credentialToken: async () => ({ succeed: async () => {} }), waits: unused },
    mailer: { isConfigured: false, send: unused },
  }
  queue.declare(areaRecords(iam, operationsList), [scopePurgeProcedure(parts)])
  await store.tx(async tx => {
    await startTaxonomy(tx, clock.now())
    await syncPredefinedRoles(tx, testCatalogue, clock.now())
  })
  await feed.start()
  await decisions.start()
  onTestFinished(() => feed.stop())
  return {
    parts,
    store,
    changes,
    revised,
    bindings: new Bindings(parts),
    roles: new Roles(parts),
    policies: new Policies(parts),
    principals: new Principals(parts),
    access: new ScopeAccess(parts),
    users: new Users(parts),
    later: millis => void (ahead += millis),
    now: clock.now,
    as: (principal, more) => contextOf(principal, clock.now(), more),
    ...makers(parts, feed),
  }
}

function contextOf(id: string, now: number, more: Partial<CallContext> = {}): CallContext {
  return {
    principal: { id, kind: 'user' },
    method: 'POST',
    path: '/iam/v1/test',
    requestId: 'r',
    traceId: '0'.repeat(31) + '1',
    idempotencyKey: undefined,
    clientAddress: '127.0.0.1',
    signal: new AbortController().signal,
    now,
    ...more,
  }
}

type Makers = Pick<Administration, 'organisation' | 'group' | 'workspace' | 'user' | 'program' | 'bind'>

function makers({ clock, store, taxonomy }: IamEnvironment, feed: Feed): Makers {
  const node = (name: string) => ({ name, display_name: '', description: '', labels: {} })
  const time = () => formatMillis(clock.now())
  const parentOf = (parent?: Scope) => parent?.id ?? ''
  return {
    async organisation(name) {
      const id = clock.newId()
      const organisation = newOrganisation(id, time(), { ...node(name), contact_email: '' })
      await store.tx(tx => insertOrganisation(tx, organisation))
      return { type: 'ORGANISATION', id }
    },
    async group({ id: organisation_id }, name, parent) {
      const below = { organisation_id, parent_group_id: parentOf(parent) }
      const made = newWorkspace(clock.newId(), time(), { ...node(name), ...below })
      await store.tx(tx => tx.insert(groups, made))
      return { type: 'GROUP', id: made.id }
    },
    async workspace({ id: organisation_id }, name, parent) {
      const below = { organisation_id, parent_group_id: parentOf(parent) }
      const made = newWorkspace(clock.newId(), time(), { ...node(name), ...below })
      await store.tx(tx => tx.insert(workspaces, made))
      return { type: 'WORKSPACE', id: made.id }
    },
    async user(name, more) {
      const user = newUser(clock.newId(), name, time(), more)
      await store.tx(async tx => {
        await tx.insert(users, user)
        await writePrincipal(tx, principalOfUser(user))
      })
      return user.id
    },
    async program(workspace, name) {
      const of = { workspace: workspace.id, name, display_name: name, managed_by: 'OPERATOR' } as const
      const account = await store.tx(tx => makeServiceAccount({ clock, taxonomy }, tx, of))
      return account.id
    },
    async bind(principal_id, role_id, { id: scope_id, type: scope_type }, terms) {
      const kind = (await store.get(principals, principal_id))?.value.kind ?? 'USER'
      const binding: Binding = {
        id: clock.newId(),
        principal_id,
        principal_kind: kind,
        role_id,
        scope_type,
        scope_id,
        condition: '',
        created_by: principal_id,
        etag: '1',
        created: time(),
        updated: time(),
        ...terms,
      }
      await store.tx(async tx => {
        await tx.insert(bindings, binding)
        await feed.revise(tx, 'PRINCIPAL', principal_id)
      })
      return binding.id
    },
  }
}

const newUser = (id: string, name: string, time: string, more: Partial<StoredUser> = {}): StoredUser => ({
  id,
  email: `${name}@y.example`,
  display_name: name,
  organisation_id: '',
  locale: '',
  time_zone: '',
  labels: {},
  status: 'ACTIVE',
  has_avatar: false,
  invited_by: '',
  etag: '1',
  created: time,
  updated: time,
  ...more,
})

/** The tree and the people of most tests (iam.md 7): O holds G, which holds W; P is another organisation, with V. */
export async function world() {
  const platform = await administration()
  const o = await platform.organisation('o')
  const p = await platform.organisation('p')
  const g = await platform.group(o, 'g')
  const w = await platform.workspace(o, 'w', g)
  const v = await platform.workspace(p, 'v')
  const ada = await platform.user('ada')
  const oz = await platform.user('oz', { organisation_id: o.id })
  const eve = await platform.user('eve', { organisation_id: o.id })
  const kim = await platform.user('kim', { organisation_id: o.id })
  const pat = await platform.user('pat', { organisation_id: p.id })
  const bot = await platform.program(w, 'bot')
  await platform.bind(ada, 'platform-admin', platformScope)
  await platform.bind(oz, 'organisation-admin', o)
  await platform.bind(eve, 'workspace-editor', w)
  await platform.bind(pat, 'organisation-admin', p)
  return { ...platform, o, p, g, w, v, ada, oz, eve, kim, pat, bot }
}

export type World = Awaited<ReturnType<typeof world>>

/** The error of a call that must have one. */
export async function refused(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ApiError) return error
  throw new Error('the call was not refused', { cause: error })
}

const tokens = pageTokens(text => createHmac('sha256', 'test').update(text).digest())

/** The context of a list call. */
export const listing = (context: CallContext, fields: ListFields, parameters: ListParameters = {}): ListContext => ({
  ...context,
  query: listQuery(parameters, fields, tokens, 'test', context.now),
})

/** All rows of a list, read in pages of `size`. */
export async function allOf<T>(
  list: (context: ListContext) => Promise<Page<T>>,
  context: CallContext,
  fields: ListFields,
  parameters: ListParameters = {},
): Promise<T[]> {
  const rows: T[] = []
  let page_token = ''
  do {
    const called = listing(context, fields, { ...parameters, page_token })
    const page = await list(called)
    for (const item of page.items) rows.push(item instanceof JsonText ? JSON.parse(item.text) : item)
    page_token = nextToken(tokens, 'test', called.query, page.next)
  } while (page_token !== '')
  return rows
}

/** The bindings of a principal that count. */
export async function heldBy({ now, store }: Administration, principal: string): Promise<Binding[]> {
  const found: Binding[] = []
  for await (const { value } of store.each(bindings, { principal_id: principal })) {
    if (holdsAt(value, now())) found.push(value)
  }
  return found
}

/** A statement as handlers get it. */
export const statementOf = (
  effect: PolicyEffect,
  principals: string[],
  permissions: string[],
  more: Partial<ParsedPolicyStatement> = {},
): ParsedPolicyStatement => ({
  effect,
  principals,
  except_principals: [],
  permissions,
  except_permissions: [],
  resources: [],
  condition: '',
  ...more,
})

/** The body of a policy as handlers get it. */
export const policyOf = (name: string, ...statements: ParsedPolicyStatement[]): ParsedPolicy => ({
  name,
  display_name: '',
  description: '',
  labels: {},
  enabled: true,
  statements,
})

/** The instant so many hours from now. */
export const hourly = ({ now }: Pick<Administration, 'now'>, hours: number): string =>
  new Date(now() + hours * 3_600_000).toISOString()
