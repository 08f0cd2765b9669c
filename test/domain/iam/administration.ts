import { iamForms } from '../../../domain/iam/forms.ts'
import { formed } from './formed.ts'
import { onTestFinished } from 'vitest'
import { bindings, holdsAt } from '../../../domain/iam/collections/bindings-store.ts'
import { Bindings } from '../../../domain/iam/grants/bindings.ts'
import type { ChangeKind, Feed } from '../../../domain/iam/interfaces/feed.ts'
import { makeServiceAccount } from '../../../domain/iam/service-accounts/make-service-account.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import { Policies } from '../../../domain/iam/policies/policies.ts'
import { Principals } from '../../../domain/iam/service-accounts/principals.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { Roles } from '../../../domain/iam/roles/roles.ts'
import { ScopeAccess } from '../../../domain/iam/grants/scope-access.ts'
import { scopePurgeProcedure } from '../../../domain/iam/scope-purge.ts'
import { syncPredefinedRoles } from '../../../domain/iam/roles/sync-roles.ts'
import type { StoredUser } from '../../../domain/iam/collections/users-store.ts'
import { Users } from '../../../domain/iam/users/users.ts'
import type { Scope } from '../../../domain/ports/scope.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { startTaxonomy } from '../../../domain/taxonomy/area.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList } from '../../../output/iam/filters.ts'
import type { Binding, PolicyEffect, ParsedPolicy, ParsedPolicyStatement } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { areaRecords } from '../../../server/operations/area-records.ts'
import { testStore } from '../../server/store/harness.ts'
import { callContext } from './calls.ts'
import { collections, iamEnvironment } from './iam-environment.ts'
import { bindingRow, insertChild, insertRoot, insertUser, platformScope, userRow, type Born } from './rows.ts'
import { testCatalogue } from './test-catalogue.ts'

/**
 * The handlers that administer access, over a store. The test makes the context of each call, in place of
 * authentication.
 */
export interface Administration {
  readonly parts: IamEnvironment
  readonly store: Store
  readonly bindings: Bindings
  readonly roles: Roles
  readonly policies: Policies
  readonly principals: Principals
  readonly access: ScopeAccess
  readonly users: Users
  /** The committed changes that the feed has recorded, in order. */
  readonly changes: { readonly kind: ChangeKind; readonly key: string }[]
  /** The highest revision among the changes of a key, keyed by this key. */
  readonly revised: Map<string, number>
  /** Advances the clock by `millis` milliseconds. */
  readonly later: (millis: number) => void
  readonly now: () => number
  readonly as: (principal: string, more?: Partial<CallContext>) => CallContext
  readonly organisation: (name: string) => Promise<Scope>
  readonly group: (organisation: Scope, name: string, parent?: Scope) => Promise<Scope>
  readonly workspace: (organisation: Scope, name: string, parent?: Scope) => Promise<Scope>
  readonly user: (name: string, more?: Partial<StoredUser>) => Promise<string>
  readonly program: (workspace: Scope, name: string) => Promise<string>
  /** Writes a binding without any checks; returns the id of the binding. */
  readonly bind: (principal: string, role: string, scope: Scope, terms?: Partial<Binding>) => Promise<string>
}

/** Wraps a feed so that it records its changes and their revisions. */
function recordingFeed(feed: Feed, { changes, revised }: Pick<Administration, 'changes' | 'revised'>): Feed {
  return {
    revised: tx => feed.revised(tx),
    isFollowed: tx => feed.isFollowed(tx),
    hold: tx => feed.hold(tx),
    catchUp: () => feed.catchUp(),
    settled: revision => feed.settled(revision),
    requireFresh: () => feed.requireFresh(),
    isSettled: revision => feed.isSettled(revision),
    listen: listener => feed.listen(listener),
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

/** Opens a platform over an empty store, with the predefined roles. */
export async function administration(): Promise<Administration> {
  const store = await testStore(...collections)
  let ahead = 0
  const changes: Administration['changes'] = []
  const revised: Administration['revised'] = new Map()
  const bench = iamEnvironment({ store, now: () => Date.now() + ahead })
  const { decisions, feed, queue } = bench
  const parts = { ...bench.parts, feed: recordingFeed(feed, { changes, revised }) }
  const { clock } = parts
  queue.declare(areaRecords(iam, operationsList), [scopePurgeProcedure(parts)])
  await store.tx(async tx => {
    await startTaxonomy(tx, clock.now())
    await syncPredefinedRoles(tx, testCatalogue, clock.now())
  })
  await feed.start()
  await decisions.start()
  onTestFinished(() => feed.stop())
  const forms = iamForms(testCatalogue)
  return {
    parts,
    store,
    changes,
    revised,
    bindings: formed(new Bindings(parts), forms),
    roles: new Roles(parts),
    policies: formed(new Policies(parts), forms),
    principals: new Principals(parts),
    access: formed(new ScopeAccess(parts), forms),
    users: formed(new Users(parts), forms),
    later: millis => void (ahead += millis),
    now: clock.now,
    as: (id, more) => callContext(clock.now(), { principal: { id, kind: 'user' }, ...more }),
    ...makers(parts, feed),
  }
}

type Makers = Pick<Administration, 'organisation' | 'group' | 'workspace' | 'user' | 'program' | 'bind'>

function makers({ clock, store, taxonomy }: IamEnvironment, feed: Feed): Makers {
  const born = (): Born => ({ id: clock.newId(), time: formatMillis(clock.now()) })
  const child = async (type: 'GROUP' | 'WORKSPACE', organisation: Scope, name: string, parent?: Scope) => {
    const made = born()
    const place = { name, organisation_id: organisation.id, parent_group_id: parent?.id ?? '' }
    await store.tx(tx => insertChild(tx, type, made, place))
    return { type, id: made.id }
  }
  return {
    async organisation(name) {
      const made = born()
      await store.tx(tx => insertRoot(tx, made, name))
      return { type: 'ORGANISATION', id: made.id }
    },
    group: (organisation, name, parent) => child('GROUP', organisation, name, parent),
    workspace: (organisation, name, parent) => child('WORKSPACE', organisation, name, parent),
    async user(name, more) {
      const user = userRow(born(), { email: `${name}@y.example`, display_name: name, ...more })
      await store.tx(tx => insertUser(tx, user))
      return user.id
    },
    async program(workspace, name) {
      const of = { workspace: workspace.id, name, display_name: name, managed_by: 'OPERATOR' } as const
      const account = await store.tx(tx => makeServiceAccount({ clock, taxonomy }, tx, of))
      return account.id
    },
    async bind(principal, role, scope, terms) {
      const principal_kind = (await store.get(principals, principal))?.value.kind ?? 'USER'
      const given = { principal_kind, created_by: principal, ...terms }
      const binding = bindingRow(born(), principal, role, scope, given)
      await store.tx(async tx => {
        await tx.insert(bindings, binding)
        await feed.revise(tx, 'PRINCIPAL', principal)
      })
      return binding.id
    },
  }
}

/**
 * Makes the scopes and principals of most tests (iam.md 7): organisation O contains group G, which contains workspace
 * W; organisation P contains workspace V.
 */
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

/** Returns the bindings of a principal that are in force now. */
export async function heldBy({ now, store }: Administration, principal: string): Promise<Binding[]> {
  const found: Binding[] = []
  for await (const { value } of store.each(bindings, { principal_id: principal })) {
    if (holdsAt(value, now())) found.push(value)
  }
  return found
}

/** Returns a policy statement in the form that handlers receive. */
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

/** Returns the body of a policy in the form that handlers receive. */
export const policyOf = (name: string, ...statements: ParsedPolicyStatement[]): ParsedPolicy => ({
  name,
  display_name: '',
  description: '',
  labels: {},
  enabled: true,
  statements,
})

/** Returns the instant `hours` hours from now, as an ISO time. */
export const hourly = ({ now }: Pick<Administration, 'now'>, hours: number): string =>
  new Date(now() + hours * 3_600_000).toISOString()
