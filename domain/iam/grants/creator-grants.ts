import type { Binding, Principal } from '../../../output/iam/types.ts'
import { platform } from '../../ports/access.ts'
import type { HeldScope } from '../../ports/iam.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Transaction } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'
import { findPrincipal } from './named-principals.ts'
import { insertBinding, newBinding } from './grants.ts'
import { firstMissing, heldThrough, surelyBound } from './held-permissions.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { grantedByRoles } from './role-permissions.ts'
import type { Scope } from '../../ports/scope.ts'

/** The role that a creator receives, keyed by type of scope. */
const creatorRoles: Readonly<Partial<Record<Scope['type'], string>>> = {
  ORGANISATION: 'organisation-admin',
  WORKSPACE: 'workspace-admin',
}

/**
 * Grants the administrator role to the creator or the named owner of an organisation or workspace, in the transaction
 * that creates the scope (iam.md 4.10). Grants nothing to the system principal, nor to a principal whose permanent
 * unconditional bindings at higher scopes already give all permissions of the role. A grant locks the revision of the
 * feed. The limits of bindings do not apply.
 */
export async function grantCreator(
  tx: Transaction,
  parts: IamEnvironment,
  principal: string,
  { chain, scope }: HeldScope,
): Promise<void> {
  const role_id = creatorRoles[scope.type]
  if (role_id === undefined || principal === systemPrincipalId) return
  const now = parts.clock.now()
  const asked = { principal, role_id, scopes: [...chain, platform], now }
  // Most creators already have all permissions of the role. Without a grant, their transactions need not wait for the
  // lock of the feed.
  if ((await standingOf(tx, parts, asked)).holdsRole) return
  await parts.feed.hold(tx)
  const { found, holdsRole } = await standingOf(tx, parts, asked)
  if (holdsRole) return
  const place = { role_id, scope_type: scope.type, scope_id: scope.id }
  const existing = await tx.find(bindings, { principal_id: principal, ...place })
  const by = { now, principal: { id: systemPrincipalId, kind: 'system' } } as const
  const binding: Binding = newBinding(parts.clock.newId(), found, place, { condition: '' }, by)
  await insertBinding(tx, parts, binding, existing)
}

interface Asked {
  readonly principal: string
  readonly role_id: string
  readonly scopes: readonly Scope[]
  readonly now: number
}

/**
 * Returns a principal, and whether the principal permanently has all permissions of a role at one of the given scopes.
 * Throws if the principal or the role does not exist.
 */
async function standingOf(
  tx: Transaction,
  { catalogue }: Pick<IamEnvironment, 'catalogue'>,
  { now, principal, role_id, scopes }: Asked,
): Promise<{ readonly found: Principal; readonly holdsRole: boolean }> {
  const found = await findPrincipal(tx, principal)
  const bound = found?.status === 'ACTIVE' ? await surelyBound(tx, principal, scopes, now) : []
  const granted = await grantedByRoles(tx, catalogue, [role_id, ...bound.map(binding => binding.role_id)])
  const permissions = granted.get(role_id)
  if (!found || !permissions) throw new Error(`principal ${principal} or role ${role_id} is missing`)
  const missing = firstMissing(catalogue, heldThrough(bound, granted), { permissions, until: Infinity })
  return { found, holdsRole: missing === undefined }
}
