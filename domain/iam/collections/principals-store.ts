import { principalsList } from '../../../output/iam/filters.ts'
import type { Principal } from '../../../output/iam/types.ts'
import type { Collection, Transaction } from '../../ports/store.ts'

/**
 * The directory: a row for each user and each service account, written in the same transaction as the user or account.
 */
export const principals: Collection<Principal> = {
  name: 'iam_principals',
  id: 'id',
  list: principalsList,
  indexes: [['organisation_id'], ['workspace_id']],
}

/** Inserts or replaces the row of a principal. */
export async function writePrincipal(tx: Transaction, principal: Principal): Promise<void> {
  const stored = await tx.lock(principals, principal.id)
  if (stored) await tx.update(principals, principal.id, principal, stored.version)
  else await tx.insert(principals, principal)
}
