import type { IamArea } from '../../output/iam/area.ts'
import { iamFilters } from '../../output/iam/filters.ts'
import type { IamHandlers } from '../../output/iam/handlers.ts'
import type { Procedure } from '../ports/procedures.ts'
import type { Collection, Reader, Transaction } from '../ports/store.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import type { AccessTokens } from './sessions/access-tokens.ts'
import { bindings } from './collections/bindings-store.ts'
import { Bindings } from './grants/bindings.ts'
import type { ResolvedResource } from '../resources/look-up.ts'
import type { Catalogue } from './interfaces/catalogue.ts'
import { conditionFields } from './conditions/condition-fields.ts'
import { feedCollections } from './collections/feed-store.ts'
import { settleProcedure } from './feed/iam-mutation.ts'
import type { IamEnvironment } from './interfaces/iam-environment.ts'
import { Permissions } from './roles/permissions.ts'
import { policies } from './collections/policies-store.ts'
import { Policies } from './policies/policies.ts'
import { policySubjects } from './collections/policy-subjects-store.ts'
import { principals } from './collections/principals-store.ts'
import { Principals } from './service-accounts/principals.ts'
import { rolePermissions, roles } from './collections/roles-store.ts'
import { Roles } from './roles/roles.ts'
import { ScopeAccess } from './grants/scope-access.ts'
import { scopePurgeProcedure } from './scope-purge.ts'
import { scopeOfMembers } from './values/scopes.ts'
import { serviceAccounts } from './collections/service-accounts-store.ts'
import { ServiceAccounts } from './service-accounts/service-accounts.ts'
import { syncPredefinedRoles } from './roles/sync-roles.ts'
import { tokenCollections } from './token-collections.ts'
import { Tokens } from './sessions/tokens.ts'
import { userCollections } from './users-collections.ts'
import { Users } from './users/users.ts'

/** Every collection of the area. */
export const iamCollections: readonly Collection<never>[] = [
  ...feedCollections,
  principals,
  ...userCollections,
  ...tokenCollections,
  roles,
  rolePermissions,
  bindings,
  policies,
  policySubjects,
]

/** Returns the handlers of the area. */
export function iamHandlers(parts: IamEnvironment, accessTokens: AccessTokens): IamHandlers {
  return {
    filterSchemas: new FilterSchemaRecords([...iamFilters, conditionFields]),
    operations: new OperationRecords<IamArea>(parts),
    bindings: new Bindings(parts),
    permissions: new Permissions(parts),
    policies: new Policies(parts),
    principals: new Principals(parts),
    access: new ScopeAccess(parts),
    roles: new Roles(parts),
    serviceAccounts: new ServiceAccounts(parts),
    tokens: new Tokens(parts, accessTokens),
    users: new Users(parts),
  }
}

/** Returns the background procedures of the area. */
export const iamProcedures = (parts: IamEnvironment): readonly Procedure<never, never>[] => [
  settleProcedure(parts),
  scopePurgeProcedure(parts),
]

/**
 * Returns the function that creates and updates the rows that the area needs at each start: the predefined roles of
 * this version.
 */
export const startIam =
  (catalogue: Catalogue) =>
  (tx: Transaction, now: number): Promise<void> =>
    syncPredefinedRoles(tx, catalogue, now)

/**
 * Returns the name, labels and scope of a resource of the area, for the matching of policies; undefined if the resource
 * does not exist (iam.md 4.1).
 */
export async function resolveIam(reader: Reader, type: string, id: string): Promise<ResolvedResource | undefined> {
  if (type === 'iam.policies') return inWorkspace((await reader.get(policies, id))?.value)
  if (type === 'iam.serviceAccounts') return inWorkspace((await reader.get(serviceAccounts, id))?.value)
  const binding = type === 'iam.bindings' ? (await reader.get(bindings, id))?.value : undefined
  return binding && { name: '', labels: {}, scope: scopeOfMembers(binding) }
}

const inWorkspace = (
  found: (Omit<ResolvedResource, 'scope'> & { readonly workspace_id: string }) | undefined,
): ResolvedResource | undefined =>
  found && { name: found.name, labels: found.labels, scope: { type: 'WORKSPACE', id: found.workspace_id } }
