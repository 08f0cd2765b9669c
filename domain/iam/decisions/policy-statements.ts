import type { Policy, PolicyEffect, PolicyStatement } from '../../../output/iam/types.ts'
import type { CalledResources } from '../conditions/called-resources.ts'
import type { Catalogue, CataloguePermission } from '../interfaces/catalogue.ts'
import { storedCondition } from '../conditions/conditions.ts'
import { PermissionSet } from './permission-set.ts'
import type { RightsAt } from './rights-at.ts'
import type { Condition, Attributes, Verdict } from '../conditions/condition.ts'

/** A statement of a policy, prepared for matching. */
export interface Statement {
  readonly policyId: string
  readonly policyName: string
  readonly effect: PolicyEffect
  /**
   * The permissions that the statement allows or denies. Wildcards skip permissions that policies cannot allow or deny
   * (iam.md 4.4).
   */
  readonly permissions: PermissionSet
  readonly principals: PrincipalForms
  readonly exceptPrincipals: PrincipalForms
  readonly resources: readonly ResourceForm[]
  readonly condition: Condition | undefined
  /** The text of the condition, as stored. */
  readonly conditionText: string
}

/** The forms of principals in statements: `principal:<id>`, `role:<id>`, `kind:USER`, `all`. */
interface PrincipalForms {
  /** The forms that match without a check of bindings: all except roles. */
  readonly direct: ReadonlySet<string>
  readonly roles: readonly string[]
}

/** A form of resources: `<type>/id:<id>`, `<type>/name:<prefix>*` or `<type>/name:<name>`. */
interface ResourceForm {
  readonly type: string
  readonly by: 'id' | 'name'
  readonly value: string
  readonly isPrefix: boolean
}

/** Returns the statements of a policy in prepared form; an empty list for a disabled policy. */
export function statementsOf(catalogue: Catalogue, { enabled, id, name, statements }: Policy): readonly Statement[] {
  if (!enabled) return []
  return statements.map(statement => ({
    policyId: id,
    policyName: name,
    effect: statement.effect,
    permissions: reachOf(catalogue, statement),
    principals: principalForms(statement.principals),
    exceptPrincipals: principalForms(statement.except_principals),
    resources: statement.resources.map(resourceForm),
    condition: storedCondition(statement.condition),
    conditionText: statement.condition,
  }))
}

/** Returns the permissions that a statement allows or denies. */
export function reachOf(
  catalogue: Catalogue,
  statement: Pick<PolicyStatement, 'effect' | 'except_permissions' | 'permissions'>,
): PermissionSet {
  const within = (patterns: readonly string[]): PermissionSet =>
    PermissionSet.of(
      patterns.flatMap(pattern =>
        catalogue
          .matching(pattern)
          .filter(canBe(statement.effect))
          .map(({ bit }) => bit),
      ),
    )
  return within(statement.permissions).without(within(statement.except_permissions))
}

const canBe =
  (effect: PolicyEffect) =>
  (permission: CataloguePermission): boolean =>
    effect === 'DENY' ? permission.deniable : permission.policy_allowable

function principalForms(forms: readonly string[]): PrincipalForms {
  const isRole = (form: string): boolean => form.startsWith('role:')
  return {
    direct: new Set(forms.filter(form => !isRole(form))),
    roles: forms.filter(isRole).map(form => form.slice('role:'.length)),
  }
}

function resourceForm(pattern: string): ResourceForm {
  const [, type = '', by = 'id', value = ''] = /^([^/]*)\/(id|name):([^]*)$/.exec(pattern) ?? []
  const isPrefix = by === 'name' && value.endsWith('*')
  return { type, by: by === 'name' ? 'name' : 'id', value: isPrefix ? value.slice(0, -1) : value, isPrefix }
}

/**
 * Returns whether a statement names the principal of `rights` and does not except the principal. Without attributes, a
 * match through a conditional binding is undecided.
 */
export function concerns(statement: Statement, rights: RightsAt, attributes?: Attributes): Verdict {
  const isNamed = isAmong(statement.principals, rights, attributes)
  if (isNamed === false) return false
  const isExcepted = isAmong(statement.exceptPrincipals, rights, attributes)
  if (isExcepted === true) return false
  return isNamed === undefined || isExcepted === undefined ? undefined : true
}

function isAmong({ direct, roles }: PrincipalForms, rights: RightsAt, attributes: Attributes | undefined): Verdict {
  const { id, kind } = rights.held.principal
  if (direct.has('all') || direct.has(`principal:${id}`) || direct.has(`kind:${kind}`)) return true
  let verdict: Verdict = false
  for (const role of roles) {
    const isHeld = rights.holdsRole(role, attributes)
    if (isHeld) return true
    if (isHeld === undefined) verdict = undefined
  }
  return verdict
}

/**
 * Returns whether a statement covers a resource of the call; undefined if the unknown name of a resource decides. A
 * statement for certain resources never covers a list.
 */
function covers({ resources }: Statement, called: CalledResources): Verdict {
  if (resources.length === 0) return true
  let verdict: Verdict = false
  for (const { by, isPrefix, type, value } of resources) {
    for (const resource of called) {
      if (resource.type !== type) continue
      if (by === 'id' ? resource.id === value : isPrefix ? resource.name?.startsWith(value) : resource.name === value)
        return true
      if (by === 'name' && resource.name === undefined) verdict = undefined
    }
  }
  return verdict
}

/** The result of matching a statement; each member is undefined if it is undecided. */
export interface StatementMatch {
  /** Whether the statement names the principal and covers the resources. */
  readonly isMeant: Verdict
  readonly isConditionMet: Verdict
}

/** A statement that names, or may name, a principal. */
export interface Concerning {
  readonly statement: Statement
  /** Whether the statement names the principal regardless of the conditions of bindings. */
  readonly isCertain: boolean
}

/** Returns how a statement that covers the permission matches a principal and the resources of a call. */
export function matchOf(
  { isCertain, statement }: Concerning,
  rights: RightsAt,
  called: CalledResources,
  attributes: Attributes,
): StatementMatch {
  const isConcerned = isCertain || concerns(statement, rights, attributes)
  const isCovered = isConcerned === false ? false : covers(statement, called)
  const isMeant = both(isConcerned, isCovered)
  if (isMeant === false) return { isMeant, isConditionMet: undefined }
  return { isMeant, isConditionMet: statement.condition ? statement.condition.decide(attributes) : true }
}

/** Returns the AND of two verdicts by Kleene's logic. */
export function both(a: Verdict, b: Verdict): Verdict {
  if (a === false || b === false) return false
  return a === undefined || b === undefined ? undefined : true
}

/** Returns whether a look-up of the call's resources could decide an undecided statement. */
export const asksForResource = (statement: Statement, rights: RightsAt): boolean =>
  statement.condition?.asksForResource === true ||
  statement.resources.some(({ by }) => by === 'name') ||
  [...statement.principals.roles, ...statement.exceptPrincipals.roles].some(role => rights.roleAsksForResource(role))
