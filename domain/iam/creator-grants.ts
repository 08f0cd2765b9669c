import type { Binding } from '../../output/iam/types.ts'
import type { Scope } from '../ports/operations.ts'
import { systemPrincipalId } from '../ports/reserved.ts'
import type { Transaction } from '../ports/store.ts'
import { bindings } from './bindings-store.ts'
import { findPrincipal } from './found.ts'
import { firstMissing } from './gifts.ts'
import { insertBinding, newBinding } from './grants.ts'
import { grantedBy, Rights } from './held.ts'
import type { IamParts } from './parts.ts'
import { roles } from './roles-store.ts'

/** What whoever makes a scope is there. */
const creatorRoles: Readonly<Partial<Record<Scope['type'], string>>> = {
  ORGANISATION: 'organisation-admin',
  WORKSPACE: 'workspace-admin',
}

/**
 * Gives the maker of an organisation or workspace, or its named owner, the administrator's role there, in the transaction
 * that makes it, unless unconditional and unexpiring bindings above give all of it already (iam.md 4.10). The system
 * principal gets none. Holds the revision; limits do not apply.
 */
export async function grantCreator(tx: Transaction, parts: IamParts, principal: string, scope: Scope): Promise<void> {
  const role_id = creatorRoles[scope.type]
  if (role_id === undefined || principal === systemPrincipalId) return
  await parts.feed.hold(tx)
  const found = await findPrincipal(tx, principal)
  const role = await tx.get(roles, role_id)
  if (!found || !role) throw new Error(`principal ${principal} or role ${role_id} is missing`)
  const now = parts.clock.now()
  const gift = { permissions: grantedBy(role.value, parts.catalogue), scope, until: Infinity }
  if ((await firstMissing(new Rights(tx, parts, principal, now), gift)) === undefined) return
  const place = { role_id, scope_type: scope.type, scope_id: scope.id }
  const existing = await tx.find(bindings, { principal_id: principal, ...place })
  const by = { now, principal: { id: systemPrincipalId, kind: 'system' } } as const
  const binding: Binding = newBinding(parts.clock.newId(), found, place, { condition: '' }, by)
  await insertBinding(tx, parts, binding, existing)
}
