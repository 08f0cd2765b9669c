import { permissionNotAllowable, permissionNotDeniable, unknownPermission } from '../../../output/iam/errors.ts'
import type { PolicyInput, PolicyStatement, PolicyStatementInput } from '../../../output/iam/types.ts'
import { completePolicyStatementInput } from '../../../output/iam/validators.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { canonical } from '../../../runtime/validation.ts'
import type { Reader } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { checkCondition } from '../conditions/conditions.ts'
import { foundPrincipal, foundRole } from '../grants/named-principals.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * Returns statements in their stored form. Throws for faults that need no read of the store (iam.md 1, 4.4):
 * CONDITION_INVALID, UNKNOWN_PERMISSION, PERMISSION_NOT_DENIABLE or PERMISSION_NOT_ALLOWABLE.
 */
export function checkedStatements(catalogue: Catalogue, sent: readonly PolicyStatementInput[]): PolicyStatement[] {
  const statements = sent.map(statement => completePolicyStatementInput(statement))
  for (const [i, { condition }] of statements.entries()) checkCondition(condition, `statements[${i}].condition`)
  for (const [i, statement] of statements.entries()) checkPatterns(catalogue, statement, `statements[${i}].`)
  return statements
}

/** Returns the rules for the statements of a policy, which `checkedStatements` expects to hold. */
export const policyForm = (catalogue: Catalogue): readonly FormRule[] => [
  rulesOf<Partial<PolicyInput>>()(['statements'], ({ statements = [] }) =>
    statements.flatMap((sent, i) => faultsOf(catalogue, completePolicyStatementInput(sent), `statements[${i}].`)),
  ),
]

function faultsOf(
  catalogue: Catalogue,
  { effect, principals, resources }: PolicyStatement,
  at: string,
): FieldViolation[] {
  const faults: FieldViolation[] = []
  for (const [j, name] of principals.entries()) {
    if (effect === 'DENY' || /^(?:principal|role):/.test(name)) continue
    const description = `an ALLOW statement names principals and roles only, not ${quoted(name)}`
    faults.push({ field: `${at}principals[${j}]`, description })
  }
  for (const [j, resource] of resources.entries()) {
    const [type = ''] = resource.split('/')
    const field = `${at}resources[${j}]`
    if (!catalogue.resourceTypes.has(type)) {
      faults.push({ field, description: `there is no resource type ${quoted(type)}` })
    } else if (/\/name:.*\*./s.test(resource)) {
      // A wildcard inside a name would match the star character only, so the statement would protect no resource.
      faults.push({ field, description: `${quoted(resource)} may contain one * only, at its end` })
    }
  }
  return faults
}

function checkPatterns(catalogue: Catalogue, statement: PolicyStatement, at: string): void {
  for (const member of ['permissions', 'except_permissions'] as const) {
    for (const [j, pattern] of statement[member].entries()) {
      if (catalogue.matching(pattern).length > 0) continue
      const field = `${at}${member}[${j}]`
      const description = `${quoted(pattern)} is not a permission and matches no permission`
      throw unknownPermission(`${field}: ${description}`, { badRequest: [{ field, description }] })
    }
  }
  for (const [j, pattern] of statement.permissions.entries()) {
    checkNameable(catalogue, statement.effect, pattern, `${at}permissions[${j}]`)
  }
}

/**
 * Checks a permission that a statement names. Wildcards skip permissions that policies cannot deny or allow, but an
 * explicit name of such a permission is an error.
 */
function checkNameable(catalogue: Catalogue, effect: PolicyStatement['effect'], key: string, field: string): void {
  const permission = catalogue.find(key)
  if (permission === undefined) return
  const isNameable = effect === 'DENY' ? permission.deniable : permission.policy_allowable
  if (isNameable) return
  const refuse = effect === 'DENY' ? permissionNotDeniable : permissionNotAllowable
  const description = `${key} cannot be ${effect === 'DENY' ? 'denied' : 'allowed'} by a policy`
  throw refuse(`${field}: ${description}`, { badRequest: [{ field, description }] })
}

/**
 * Throws PRINCIPAL_NOT_FOUND or ROLE_NOT_FOUND for named subjects that do not exist. A role counts as absent if its
 * owner is not on `chain`, the chain of the workspace: no principal can have the role there, and a policy that names
 * the role would only prevent its deletion.
 */
export async function requireNamed(
  reader: Reader,
  statements: readonly PolicyStatement[],
  chain: readonly Scope[],
): Promise<void> {
  const known = new Set<string>()
  for (const [i, statement] of statements.entries()) {
    for (const member of ['principals', 'except_principals'] as const) {
      for (const [j, name] of statement[member].entries()) {
        if (known.has(name)) continue
        known.add(name)
        await requireSubject(reader, name, chain, `statements[${i}].${member}[${j}]`)
      }
    }
  }
}

async function requireSubject(reader: Reader, name: string, chain: readonly Scope[], field: string): Promise<void> {
  const [form, id = ''] = name.split(':')
  if (form === 'principal') await foundPrincipal(reader, id, field)
  if (form === 'role') await foundRole(reader, id, chain, field)
}

/** The members of a policy that decisions use. */
interface Deciding {
  readonly enabled: boolean
  readonly statements: readonly PolicyStatement[]
}

/**
 * Returns the ALLOW statements that a change of a policy puts into force. Statements with equal text are the same
 * statement (iam.md 4.4).
 */
export function newlyAllowing(
  before: Deciding | undefined,
  { enabled, statements }: Deciding,
): readonly PolicyStatement[] {
  if (!enabled) return []
  const known = new Set(before?.enabled ? before.statements.map(statement => canonical(statement)) : [])
  return statements.filter(statement => statement.effect === 'ALLOW' && !known.has(canonical(statement)))
}
