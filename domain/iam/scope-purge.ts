import type { Binding, Policy, Role, ServiceAccount } from '../../output/iam/types.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { again, done, type Procedure, type WorkOrder } from '../ports/procedures.ts'
import type { Collection, Stored, Transaction, Where } from '../ports/store.ts'
import { removeAllKeys } from './service-accounts/account-keys.ts'
import { bindings } from './collections/bindings-store.ts'
import { accountQuota } from './service-accounts/make-service-account.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { dropPolicy, policyQuota } from './policies/policies.ts'
import { policies } from './collections/policies-store.ts'
import { writePrincipal } from './collections/principals-store.ts'
import { rolePermissions, roles } from './collections/roles-store.ts'
import { principalOfServiceAccount, serviceAccounts } from './collections/service-accounts-store.ts'
import { deactivate } from './users/user-life.ts'
import { users, type StoredUser } from './collections/users-store.ts'
import type { Scope } from '../ports/scope.ts'

/**
 * The maximal number of rows that one transaction deletes or deactivates. Small transactions hold their locks for a
 * short time only.
 */
const batchSize = 50

/** Deletes or deactivates one row, in a transaction that has locked the revision. */
type Take<T> = (tx: Transaction, parts: IamEnvironment, stored: Stored<T>) => Promise<void>

/**
 * Deletes the bindings, policies and custom roles of a deleted or purged scope, and deactivates the users and service
 * accounts whose home is this scope (iam.md 4.10). `purgeScope` runs in bounded transactions and is idempotent.
 */
export async function purgeScope(parts: IamEnvironment, scope: Scope): Promise<void> {
  const { id, type } = scope
  await takeAll(parts, scope, bindings, { scope_id: id, scope_type: type }, dropBinding)
  if (type === 'WORKSPACE') {
    await takeAll(parts, scope, policies, { workspace_id: id }, giveBackPolicy)
    await takeAll(parts, scope, serviceAccounts, { workspace_id: id, status: 'ACTIVE' }, bar)
  }
  if (type === 'ORGANISATION') {
    await takeAll(parts, scope, users, { organisation_id: id, status: ['INVITED', 'ACTIVE'] }, deactivateUser)
    await takeAll(parts, scope, roles, { scope_id: id, scope_type: type }, dropOwnedRole)
  }
}

async function takeAll<T>(
  parts: IamEnvironment,
  scope: Scope,
  collection: Collection<T>,
  where: Where<T>,
  take: Take<T>,
): Promise<void> {
  const { feed, store, taxonomy } = parts
  let isMore = true
  while (isMore) {
    isMore = await store.tx(async tx => {
      await taxonomy.share(tx, scope)
      await feed.hold(tx)
      let taken = 0
      for await (const stored of tx.each(collection, where)) {
        await take(tx, parts, stored)
        taken += 1
        if (taken === batchSize) return true
      }
      return false
    })
  }
}

/** Deletes a binding at a deleted scope, and records the change in the feed for all servers. */
export async function dropBinding(
  tx: Transaction,
  { feed }: Pick<IamEnvironment, 'feed'>,
  { id, value, version }: Stored<Binding>,
): Promise<void> {
  await tx.delete(bindings, id, version)
  await feed.revise(tx, 'PRINCIPAL', value.principal_id)
}

async function giveBackPolicy(
  tx: Transaction,
  { feed, taxonomy }: IamEnvironment,
  stored: Stored<Policy>,
): Promise<void> {
  const { workspace_id } = stored.value
  await dropPolicy(tx, stored)
  await taxonomy.consume(tx, workspace_id, [{ quota: policyQuota, amount: -1 }])
  await feed.revise(tx, 'POLICY', workspace_id)
}

/** Deactivates a service account of a deleted workspace: removes its keys, ends its tokens, and returns its quota. */
async function bar(
  tx: Transaction,
  parts: IamEnvironment,
  { id, value, version }: Stored<ServiceAccount>,
): Promise<void> {
  const time = formatMillis(parts.clock.now())
  const next: ServiceAccount = { ...value, status: 'DEACTIVATED', keys: [], updated: time }
  await tx.update(serviceAccounts, id, next, version)
  await removeAllKeys(tx, id)
  await writePrincipal(tx, principalOfServiceAccount(next))
  await parts.sessions.endAll(tx, id, 'USER_DEACTIVATED', time)
  await parts.taxonomy.consume(tx, value.workspace_id, [{ quota: accountQuota, amount: -1 }])
  await parts.feed.revise(tx, 'PRINCIPAL', id)
}

const deactivateUser: Take<StoredUser> = async (tx, parts, stored) => deactivate(tx, parts, stored, parts.clock.now())

/**
 * Deletes a custom role of a deleted organisation. Policies that still name the role belong to workspaces of the
 * organisation, and the purges of these workspaces delete them.
 */
async function dropOwnedRole(tx: Transaction, { feed }: IamEnvironment, { id, version }: Stored<Role>): Promise<void> {
  for await (const row of tx.each(rolePermissions, { role_id: id }))
    await tx.delete(rolePermissions, row.id, row.version)
  await tx.delete(roles, id, version)
  await feed.revise(tx, 'ROLE', id)
}

const kind = 'iam.purge'

/** The delay before a retry of a failed purge, in milliseconds. */
const restMs = 60_000

/** Returns the order for the background work that purges a deleted scope. */
export const scopePurge = ({ id, type }: Scope): WorkOrder => ({ kind, input: { id, type } })

/**
 * Returns the procedure that purges the rows of deleted organisations and groups, and retries until the purge succeeds.
 * The rows of a workspace are purged by `purgeWorkspace` instead.
 */
export const scopePurgeProcedure = (parts: IamEnvironment): Procedure<Scope> => ({
  kind,
  deadlineMs: 'none',
  steps: [
    {
      name: 'rows',
      async run({ input }) {
        try {
          await purgeScope(parts, input)
          return done()
        } catch (error) {
          // Every error is retried: no row may stay forever, and finished deletions stay done.
          return again(restMs, error)
        }
      },
    },
  ],
})
