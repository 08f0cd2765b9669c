import type { AccessPolicy } from '../../../output/registry/types.ts'
import type { Transaction } from '../../ports/store.ts'
import { openingCollection } from './openings-store.ts'

/** Returns the principals whom ALLOW rules of an access policy let pull; none for a policy that is not enabled. */
export function pullersOf({ enabled, rules }: Pick<AccessPolicy, 'enabled' | 'rules'>): Set<string> {
  const allowing = rules.filter(
    ({ actions, effect }) => effect === 'REGISTRY_POLICY_EFFECT_ALLOW' && actions.includes('REGISTRY_ACTION_PULL'),
  )
  return new Set(enabled ? allowing.flatMap(({ principals }) => principals) : [])
}

/**
 * Makes the openings of an access policy the principals `pullers`, in the transaction that changes the policy; `path` is
 * that of its repository, and empty for a policy of a workspace.
 */
export async function settleOpenings(
  tx: Transaction,
  { id: policy_id, repository_id, workspace_id }: AccessPolicy,
  path: string,
  pullers: ReadonlySet<string>,
): Promise<void> {
  const missing = new Set(pullers)
  for await (const { id, value, version } of tx.each(openingCollection, { policy_id }))
    if (!missing.delete(value.principal)) await tx.delete(openingCollection, id, version)
  for (const principal of missing) {
    const id = `${policy_id}/${principal}`
    await tx.insert(openingCollection, { id, policy_id, workspace_id, repository_id, path, principal })
  }
}
