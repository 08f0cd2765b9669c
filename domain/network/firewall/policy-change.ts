import type { FirewallPolicy } from '../../../output/network/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { nextEtag } from '../../resources/etag.ts'
import { isAt, requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { vpcKind } from '../vpcs.ts'
import { firewallPolicyCollection } from './policies-store.ts'
import { firewallPolicyKind } from './policy-kind.ts'

/** The policy in the path of a call for its rules. */
export interface PolicyPath {
  readonly workspace: string
  readonly engine: string
  readonly firewall_policy: string
}

/**
 * Locks and returns the policy of a path: shares the organisation, locks the VPC, then the policy (conventions §16).
 * Throws WORKSPACE_NOT_FOUND or FIREWALL_POLICY_NOT_FOUND.
 */
export async function lockPolicy(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'chain' | 'share'>,
  { engine, firewall_policy: id, workspace }: PolicyPath,
): Promise<Stored<FirewallPolicy>> {
  const path = { workspace, engine, id }
  await taxonomy.share(tx, workspaceScope(workspace))
  const seen = (await tx.get(firewallPolicyCollection, id))?.value
  // A policy at another place counts as absent, and its VPC may belong to another workspace.
  const isThere = seen !== undefined && isAt(seen, path)
  if (isThere) await vpcKind.hold(tx, seen.vpc_id, 'lock')
  const stored = isThere ? await tx.lock(firewallPolicyCollection, id) : undefined
  return requireFound(tx, taxonomy, firewallPolicyKind, path, stored)
}

/**
 * Writes a locked policy whose rules have changed: sets a new etag and `update_time`, and adds `added` to `rule_count`.
 */
export async function touchPolicy(
  tx: Transaction,
  { id, value, version }: Stored<FirewallPolicy>,
  now: number,
  added = 0,
): Promise<void> {
  const { etag, rule_count } = value
  const changed = { etag: nextEtag(etag), update_time: formatMillis(now), rule_count: rule_count + added }
  await tx.update(firewallPolicyCollection, id, { ...value, ...changed }, version)
}
