import type { Binding, PolicyStatement, Principal, Role } from '../../../output/iam/types.ts'
import type { Reader, Where } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import { endOf, type HeldPermissions, type RightsSources } from './held-permissions.ts'
import { permissionSet } from '../decisions/permission-set.ts'
import { policies } from '../collections/policies-store.ts'
import { policySubjects } from '../collections/policy-subjects-store.ts'
import { grantedBy } from './role-permissions.ts'
import { roles } from '../collections/roles-store.ts'
import { chainOf, scopeOfMembers } from '../values/scopes.ts'
import { homeOf } from '../values/home-scope.ts'
import { reachOf } from '../decisions/policy-statements.ts'
import type { Scope } from '../../ports/scope.ts'

/** The permissions that a principal has or would receive at a scope. */
export interface GrantedPermissions extends HeldPermissions {
  readonly scope: Scope
}

/**
 * Yields all permissions of a principal with their scopes, in one entry for each binding and each ALLOW statement.
 * Unexpired conditional bindings are included. With `isHomeOnly`, yields only the permissions at PLATFORM and in the
 * home organisation of the principal.
 */
export async function* grantedPermissionsOf(
  reader: Reader,
  parts: RightsSources,
  principal: Principal,
  now: number,
  isHomeOnly = false,
): AsyncGenerator<GrantedPermissions, void, undefined> {
  const home = homeOf(principal)
  const isCounted = async (scope: Scope): Promise<boolean> => {
    if (!isHomeOnly || scope.type === 'PLATFORM') return true
    const chain = await chainOf(reader, parts, scope)
    return chain?.some(({ id, type }) => type === home.type && id === home.id && type !== 'PLATFORM') ?? false
  }
  const held: Binding[] = []
  for await (const { value } of reader.each(bindings, { principal_id: principal.id })) {
    if (holdsAt(value, now)) held.push(value)
  }
  for (const binding of held) {
    const scope = scopeOfMembers(binding)
    const role = (await isCounted(scope)) && (await reader.get(roles, binding.role_id))
    if (role) yield { permissions: grantedBy(role, parts.catalogue), scope, until: endOf(binding) }
  }
  const subject = [`principal:${principal.id}`, ...new Set(held.map(({ role_id }) => `role:${role_id}`))]
  for await (const { value } of reader.each(policySubjects, { subject, is_allowed: true })) {
    const policy = (await reader.get(policies, value.policy_id))?.value
    if (!policy?.enabled) continue
    const scope: Scope = { type: 'WORKSPACE', id: policy.workspace_id }
    const chain = await chainOf(reader, parts, scope)
    if (chain === undefined || !(await isCounted(scope))) continue
    const here = held.filter(binding => chain.some(({ id }) => id === binding.scope_id))
    for (const statement of policy.statements) {
      if (statement.effect !== 'ALLOW' || !reaches(statement, principal, here)) continue
      yield { permissions: reachOf(parts.catalogue, statement), scope, until: Infinity }
    }
  }
}

/**
 * Yields the permissions that a role grants at a scope, in one entry for each source: the permissions of the role
 * itself, and those of ALLOW statements for the role in workspaces at and below the scope.
 */
export async function* giftsOfRole(
  reader: Reader,
  parts: RightsSources & { readonly taxonomy: Pick<Taxonomy, 'subtree'> },
  { principal, role, scope, until }: { principal: Principal; role: Role; scope: Scope; until: number },
): AsyncGenerator<GrantedPermissions, void, undefined> {
  yield { permissions: permissionSet(parts.catalogue, role.permissions), scope, until }
  const subject = { subject: `role:${role.id}`, is_allowed: true }
  if (!(await reader.exists(policySubjects, subject))) return
  const workspaces = await workspacesIn(reader, parts.taxonomy, scope)
  for await (const { value } of reader.each(policySubjects, { ...subject, ...workspaces })) {
    const policy = (await reader.get(policies, value.policy_id))?.value
    if (!policy?.enabled) continue
    const at: Scope = { type: 'WORKSPACE', id: policy.workspace_id }
    for (const statement of policy.statements) {
      const isFor = statement.effect === 'ALLOW' && statement.principals.includes(subject.subject)
      if (!isFor || excepts(statement, principal)) continue
      yield { permissions: reachOf(parts.catalogue, statement), scope: at, until }
    }
  }
}

/** Returns the filter for rows of the workspaces at and below a scope; an empty filter for the platform. */
async function workspacesIn(reader: Reader, taxonomy: Pick<Taxonomy, 'subtree'>, scope: Scope): Promise<Where> {
  if (scope.type === 'PLATFORM') return {}
  const all = [scope, ...(await taxonomy.subtree(reader, scope))].filter(({ type }) => type === 'WORKSPACE')
  return { workspace_id: all.map(({ id }) => id) }
}

/** Returns whether a statement may apply to a principal with these bindings, for any result of their conditions. */
function reaches(statement: PolicyStatement, principal: Principal, held: readonly Binding[]): boolean {
  const names = new Set([`principal:${principal.id}`, ...held.map(({ role_id }) => `role:${role_id}`)])
  const sure = held.filter(({ condition }) => condition === '').map(({ role_id }) => `role:${role_id}`)
  return statement.principals.some(name => names.has(name)) && !excepts(statement, principal, sure)
}

/** Returns whether a statement excludes a principal that unconditionally has these roles. */
function excepts(
  { except_principals }: PolicyStatement,
  { id, kind }: Principal,
  roles: readonly string[] = [],
): boolean {
  const names = new Set([`principal:${id}`, `kind:${kind}`, 'all', ...roles])
  return except_principals.some(name => names.has(name))
}
