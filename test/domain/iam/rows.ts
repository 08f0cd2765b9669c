import { principalOfUser, users, type StoredUser } from '../../../domain/iam/collections/users-store.ts'
import { writePrincipal } from '../../../domain/iam/collections/principals-store.ts'
import type { Scope } from '../../../domain/ports/scope.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { newChild } from '../../../domain/taxonomy/tree/new-child.ts'
import { groups, workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import type { Binding } from '../../../output/iam/types.ts'

export const platformScope: Scope = { type: 'PLATFORM', id: '' }

/** The id and the creation time of a row. */
export interface Born {
  readonly id: string
  readonly time: string
}

/** Makes the row of an ACTIVE user who belongs to no organisation, changed by `given`. */
export const userRow = ({ id, time }: Born, given: Pick<StoredUser, 'email'> & Partial<StoredUser>): StoredUser => ({
  id,
  display_name: given.email,
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
  ...given,
})

/** Inserts a user with its principal. */
export async function insertUser(tx: Transaction, user: StoredUser): Promise<void> {
  await tx.insert(users, user)
  await writePrincipal(tx, principalOfUser(user))
}

/** Makes the row of an unconditional binding of a user. */
export const bindingRow = (
  { id, time }: Born,
  principal: string,
  role: string,
  scope: Scope,
  given: Partial<Binding> = {},
): Binding => ({
  id,
  principal_id: principal,
  principal_kind: 'USER',
  role_id: role,
  scope_type: scope.type,
  scope_id: scope.id,
  condition: '',
  created_by: '',
  etag: '1',
  created: time,
  updated: time,
  ...given,
})

const texts = { display_name: '', description: '', labels: {} }

/** Inserts an organisation without groups and workspaces. */
export const insertRoot = (tx: Transaction, { id, time }: Born, name: string): Promise<void> =>
  insertOrganisation(tx, newOrganisation(id, time, { name, contact_email: '', ...texts }))

/** Inserts a group or workspace; `parent_group_id` is empty directly below the organisation. */
export async function insertChild(
  tx: Transaction,
  type: 'GROUP' | 'WORKSPACE',
  { id, time }: Born,
  place: { readonly name: string; readonly organisation_id: string; readonly parent_group_id: string },
): Promise<void> {
  const row = newChild(id, time, { ...place, ...texts })
  await (type === 'GROUP' ? tx.insert(groups, row) : tx.insert(workspaces, row))
}
