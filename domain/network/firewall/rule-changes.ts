import type { NetworkArea } from '../../../output/network/area.ts'
import type {
  ParsedAddFirewallPolicyRuleRequest,
  FirewallPolicyRuleUpdate,
  RemoveFirewallPolicyRuleRequest,
  ParsedUpdateFirewallPolicyRuleRequest,
} from '../../../output/network/types.ts'
import { completeProtocolMatchInput, firewallPolicyRuleFields } from '../../../output/network/validators.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { quotas } from '../quotas.ts'
import { requireFreeRulePriority } from './free-priority.ts'
import { lockPolicy, touchPolicy, type PolicyPath } from './policy-change.ts'
import { firewallRuleKind } from './rule-kind.ts'
import { requireSubnets } from './rule-subnets.ts'
import { firewallRuleCollection, type StoredRule } from './rules-store.ts'

type Tree = Pick<Taxonomy, 'chain' | 'requireActive' | 'share'>

/**
 * Adds a rule to its policy, and returns the effect. `id` is the id of the new rule; `now` is the time of the call, in
 * milliseconds since 1970. The checks run in the order of conventions §4. Throws the errors of `addFirewallPolicyRule`.
 */
export async function addRule(
  tx: Transaction,
  taxonomy: Tree,
  request: ParsedAddFirewallPolicyRuleRequest,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<Effect<NetworkArea>> {
  const { etag, rule: given } = request.body
  const policy = await lockPolicy(tx, taxonomy, request)
  checkEtag(etag, policy.value.etag)
  await taxonomy.requireActive(tx, request.workspace)
  const { engine, vpc_id, workspace_id } = policy.value
  const time = formatMillis(now)
  const times = { create_time: time, update_time: time }
  const rule: StoredRule = { id, firewall_policy_id: policy.id, ...given, ...times, workspace_id, engine, vpc_id }
  await requireSubnets(tx, vpc_id, rule)
  await tx.insert(firewallRuleCollection, rule)
  await requireFreeRulePriority(tx, rule)
  await touchPolicy(tx, policy, now, 1)
  const dimensions = { firewall_policy_id: policy.id }
  await quotas.consume(tx, taxonomy, workspace_id, [{ definition: 'network.firewallPolicyRules', dimensions }])
  return effectOn('CREATE', rule)
}

/**
 * Changes a rule by the mask of the request, and returns the effect. An update without a changed value writes neither
 * the rule nor its policy. Throws the errors of `updateFirewallPolicyRule`.
 */
export async function updateRule(
  tx: Transaction,
  taxonomy: Tree,
  request: ParsedUpdateFirewallPolicyRuleRequest,
  now: number,
): Promise<Effect<NetworkArea>> {
  const { etag, rule: given, rule_id, update_mask } = request.body
  const policy = await lockPolicy(tx, taxonomy, request)
  const { id, value: before, version } = await requireRule(tx, taxonomy, request, rule_id)
  const { changed, value } = applyUpdate(firewallPolicyRuleFields, before, normalForm(given), update_mask, 'rule')
  checkEtag(etag, policy.value.etag)
  await taxonomy.requireActive(tx, request.workspace)
  if (changed.length === 0) return effectOn('UPDATE', before)
  const rule = { ...value, update_time: formatMillis(now) }
  await requireSubnets(tx, rule.vpc_id, rule)
  await tx.update(firewallRuleCollection, id, rule, version)
  if (changed.includes('priority')) await requireFreeRulePriority(tx, rule)
  await touchPolicy(tx, policy, now)
  return { ...effectOn('UPDATE', rule), changed }
}

/** Removes a rule from its policy, and returns the effect. Throws the errors of `removeFirewallPolicyRule`. */
export async function removeRule(
  tx: Transaction,
  taxonomy: Tree,
  request: RemoveFirewallPolicyRuleRequest,
  now: number,
): Promise<Effect<NetworkArea>> {
  const { etag, rule_id } = request.body
  const policy = await lockPolicy(tx, taxonomy, request)
  const { id, value, version } = await requireRule(tx, taxonomy, request, rule_id)
  checkEtag(etag, policy.value.etag)
  await taxonomy.requireActive(tx, request.workspace)
  await tx.delete(firewallRuleCollection, id, version)
  await touchPolicy(tx, policy, now, -1)
  return effectOn('DELETE', value)
}

/**
 * Returns a rule of a locked policy; the lock excludes concurrent changes of the rule. Throws FIREWALL_RULE_NOT_FOUND.
 */
async function requireRule(
  tx: Transaction,
  taxonomy: Tree,
  { engine, firewall_policy, workspace }: PolicyPath,
  id: string,
): Promise<Stored<StoredRule>> {
  const path = { workspace, engine, firewall_policy, id }
  return requireFound(tx, taxonomy, firewallRuleKind, path, await tx.get(firewallRuleCollection, id))
}

/**
 * Returns an update with the defaults of list elements filled in, because an update replaces a list as a whole, and an
 * equal list must be no change.
 */
const normalForm = (rule: FirewallPolicyRuleUpdate): FirewallPolicyRuleUpdate => ({
  ...rule,
  ...(rule.protocols && { protocols: rule.protocols.map(match => completeProtocolMatchInput(match)) }),
})

const effectOn = (type: 'CREATE' | 'UPDATE' | 'DELETE', { id, workspace_id }: StoredRule): Effect<NetworkArea> => ({
  type,
  resourceType: firewallRuleKind.type,
  resourceId: id,
  scope: workspaceScope(workspace_id),
})
