import type { ServiceAccount, ServiceAccountManager } from '../../../output/iam/types.ts'
import { workspaceNotFound } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HeldScope } from '../../ports/iam.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { principals } from '../collections/principals-store.ts'
import { principalOfServiceAccount, serviceAccounts } from '../collections/service-accounts-store.ts'
import type { Scope } from '../../ports/scope.ts'

interface CreationServices {
  readonly clock: Clock
  readonly taxonomy: Pick<Taxonomy, 'chain' | 'consume'>
}

/** The input for a new service account. */
export interface NewServiceAccount {
  readonly workspace: string
  /** The scopes from the organisation to the workspace; present if the transaction has locked the tree. */
  readonly chain?: readonly Scope[]
  readonly name: string
  readonly display_name?: string
  readonly managed_by: ServiceAccountManager
}

/**
 * Creates a service account with this name in a workspace, without a role, unless the account exists. Returns the id of
 * the account.
 */
export async function ensureServiceAccount(
  parts: CreationServices,
  tx: Transaction,
  { chain, scope }: HeldScope,
  name: string,
): Promise<string> {
  const known = await tx.find(serviceAccounts, { workspace_id: scope.id, name })
  if (known) return known.id
  return (await makeServiceAccount(parts, tx, { workspace: scope.id, chain, name, managed_by: 'PLATFORM' })).id
}

/** The quota that counts service accounts. A service account counts until its workspace is deleted. */
export const accountQuota = 'iam.serviceAccounts'

/**
 * Inserts a service account and its directory row, and returns the account. Throws WORKSPACE_NOT_FOUND, FIELD_INVALID
 * if the name is taken, and QUOTA_EXCEEDED.
 */
export async function makeServiceAccount(
  { clock, taxonomy }: CreationServices,
  tx: Transaction,
  { chain, display_name = '', managed_by, name, workspace }: NewServiceAccount,
): Promise<ServiceAccount> {
  const organisation = chain ? chain[0] : (await taxonomy.chain(tx, { type: 'WORKSPACE', id: workspace }))?.at(-1)
  if (organisation === undefined) {
    const resource = { type: 'taxonomy.workspaces', name: workspace }
    throw workspaceNotFound(`workspace ${workspace} does not exist`, { resource })
  }
  const time = formatMillis(clock.now())
  const account: ServiceAccount = {
    id: clock.newId(),
    name,
    display_name,
    description: '',
    organisation_id: organisation.id,
    workspace_id: workspace,
    status: 'ACTIVE',
    managed_by,
    keys: [],
    labels: {},
    created: time,
    updated: time,
  }
  await tx.insert(serviceAccounts, account)
  await taxonomy.consume(tx, chain ?? workspace, [{ quota: accountQuota, amount: 1 }])
  await tx.insert(principals, principalOfServiceAccount(account))
  return account
}
