import type {
  AccessEntry,
  AccessRole,
  EffectivePermission,
  PermissionSource,
  Principal,
  Role,
} from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { attributes } from './decide.ts'
import { holding, type HeldBinding } from './held-bindings.ts'
import { permissionSet } from './permission-set.ts'
import { RightsAt, type Grant } from './rights-at.ts'
import { scopeKey } from './scope-chains.ts'
import { concerns, type Statement } from './policy-statements.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Attributes } from '../conditions/condition.ts'

/** The input for computing the rights of a principal at a scope. */
export interface RightsInput {
  readonly catalogue: Catalogue
  readonly principal: Omit<Principal, 'created' | 'updated'>
  /** The scopes from the scope itself up to its organisation, then PLATFORM. */
  readonly chain: readonly Scope[]
  /** The bindings of the principal; bindings at other scopes are ignored. */
  readonly bindings: Parameters<typeof holding>[1]
  /** Returns the name and permissions of a role; undefined for an unknown role. */
  readonly role: (id: string) => Pick<Role, 'name' | 'permissions'> | undefined
  /**
   * The statements of the workspace's policies; empty at other scopes. Computations for many principals share the list.
   */
  readonly statements: readonly Statement[]
  readonly now: number
}

/** Returns the permissions of a principal at a scope with their sources; empty while the principal is not ACTIVE. */
export function effectivePermissions(of: RightsInput): readonly EffectivePermission[] {
  if (of.principal.status !== 'ACTIVE') return []
  const rights = rightsOf(of)
  const { statements } = of
  const denying = statements.filter(
    each => each.effect === 'DENY' && isSettled(each) && concerns(each, rights) === true,
  )
  const allowing = allowingTo(statements, rights)
  const found: EffectivePermission[] = []
  for (const { access_class, bit, id: permission, service } of of.catalogue.permissions) {
    if (denying.some(({ permissions }) => permissions.has(bit))) continue
    const bindings = rights.grants.filter(({ permissions }) => permissions.has(bit)).map(({ binding }) => binding)
    const policies = allowing.filter(({ permissions }) => permissions.has(bit))
    if (bindings.length + policies.length === 0) continue
    const isCertain =
      bindings.some(({ condition }) => condition === undefined) ||
      policies.some(each => isSettled(each) && concerns(each, rights) === true)
    const sources = [
      ...bindings.map(binding => bindingSource(binding, of.chain)),
      ...policies.map(each => policySource(each, of.chain)),
    ]
    found.push({ permission, service, access_class, conditional: !isCertain, sources })
  }
  return found
}

/**
 * Returns a principal's entry in the access list of a scope; undefined if the principal has no access now or is not
 * ACTIVE. A condition that the current time does not decide counts as fulfilled.
 */
export function accessEntry(of: RightsInput): AccessEntry | undefined {
  const { display_name, email, id, kind, status } = of.principal
  if (status !== 'ACTIVE') return undefined
  const rights = rightsOf(of)
  const now = attributes(rights.held, undefined, { now: of.now, ip: undefined }, undefined)
  const roles = rights.grants
    .filter(({ binding: { condition } }) => !condition || condition.decide(now) !== false)
    .map(grant => accessRole(grant, of))
  const policies = new Map<string, { policy_id: string; name: string }>()
  for (const { condition, policyId, policyName } of allowingTo(of.statements, rights, now)) {
    if (policies.has(policyId) || condition?.decide(now) === false) continue
    policies.set(policyId, { policy_id: policyId, name: policyName })
  }
  if (roles.length + policies.size === 0) return undefined
  const shown = { principal_id: id, principal_kind: kind, display_name, email, status }
  return { ...shown, roles, policies: [...policies.values()] }
}

function rightsOf({ bindings, catalogue, chain, now, principal, role }: Omit<RightsInput, 'statements'>): RightsAt {
  const known = { scopes: chain, keys: chain.map(scopeKey) }
  const setOf = (id: string) => permissionSet(catalogue, role(id)?.permissions ?? [])
  return new RightsAt(holding(principal, bindings), known, setOf, now)
}

/** Returns whether a statement applies to every resource without a condition. */
const isSettled = ({ condition, resources }: Statement): boolean => !condition && resources.length === 0

const allowingTo = (statements: readonly Statement[], rights: RightsAt, known?: Attributes): readonly Statement[] =>
  statements.filter(each => each.effect === 'ALLOW' && concerns(each, rights, known) !== false)

const nowhere: Scope = { type: 'PLATFORM', id: '' }

const placeOf = (scope: Scope, [own = nowhere]: readonly Scope[]) => ({
  grant_type: scopeKey(scope) === scopeKey(own) ? ('DIRECT' as const) : ('INHERITED' as const),
  scope_type: scope.type,
  scope_id: scope.id,
})

const expiry = ({ expiresAt }: HeldBinding) => (expiresAt === Infinity ? {} : { expire_time: formatMillis(expiresAt) })

const bindingSource = (binding: HeldBinding, chain: readonly Scope[]): PermissionSource => ({
  source_type: 'BINDING',
  binding_id: binding.id,
  policy_id: '',
  role_id: binding.roleId,
  ...placeOf(binding.scope, chain),
  condition: binding.conditionText,
  ...expiry(binding),
})

const policySource = ({ conditionText, policyId }: Statement, chain: readonly Scope[]): PermissionSource => ({
  source_type: 'POLICY',
  binding_id: '',
  policy_id: policyId,
  role_id: '',
  ...placeOf(chain[0] ?? nowhere, chain),
  condition: conditionText,
})

const accessRole = ({ binding }: Grant, { chain, role }: RightsInput): AccessRole => ({
  role_id: binding.roleId,
  role_name: role(binding.roleId)?.name ?? '',
  binding_id: binding.id,
  ...placeOf(binding.scope, chain),
  condition: binding.conditionText,
  ...expiry(binding),
})
