import { firewallPolicyCollection } from '../../../../domain/network/firewall/policies-store.ts'
import type { JsonObject } from '../../../../generator/conform/json.ts'
import { absentId } from '../../../areas/members.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import type { World } from '../../world.ts'

const engine = 'native'

const newVpc = ({ newName, run }: World, workspace: string): Promise<string> => {
  const body = { name: newName(), region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  return run('createVpc', { path: { workspace, engine }, body })
}

/** Makes the fault that a quota of the call's workspace has a limit of 0. */
const noRoom = (quota_definition: string, dimensionsOf: (aim: Aim) => JsonObject): Fault => ({
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { run }) {
    const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: aim.path['workspace'] ?? '' }
    const body = { ...scope, dimensions: dimensionsOf(aim), limit: 0 }
    await run('network.createQuotaLimit', { path: { quota_definition }, body })
    return aim
  },
})

/** The fault that another policy of the VPC has the priority that an update sets. */
const priorityTaken: Fault = {
  reason: 'FIREWALL_POLICY_PRIORITY_TAKEN',
  async apply(aim, { newName, run, store }) {
    const { workspace = '', id = '' } = aim.path
    const vpc_id = (await store.get(firewallPolicyCollection, id))?.value.vpc_id ?? ''
    const body = { name: newName(), vpc_id, priority: 7 }
    await run('createFirewallPolicy', { path: { workspace, engine }, body })
    return aim
  },
}

const policy: Resource = {
  noun: 'FirewallPolicy',
  body: async (world, path) => ({
    name: world.newName(),
    vpc_id: await newVpc(world, path['workspace'] ?? ''),
  }),
  calls: {
    create: {
      faults: {
        reference: { reason: 'VPC_NOT_FOUND', apply: aim => withBody(aim, { vpc_id: absentId }) },
        quota: noRoom('network.firewallPolicies', () => ({})),
      },
    },
    update: { body: { priority: 7 }, faults: { uniqueness: priorityTaken } },
    delete: {},
  },
}

const rule = (name: string, priority: number): JsonObject => ({
  name,
  priority,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_TCP', ports: ['22'] }],
})

/** Returns the call with further members in the rule of its body. */
function withRule(aim: Aim, members: JsonObject): Aim {
  const given = aim.body?.['rule']
  const known = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {}
  return withBody(aim, { rule: { ...known, ...members } })
}

const newPolicy = async (world: World): Promise<Aim['path']> => {
  const path = { workspace: (await world.newPlace()).workspace, engine }
  const body = { name: world.newName(), vpc_id: await newVpc(world, path.workspace) }
  return { ...path, firewall_policy: await world.run('createFirewallPolicy', { path, body }) }
}

/** Makes the parts of a call about a rule of a new policy; the rule has priority 1. */
const callOn =
  (body: JsonObject): Recipe['aim'] =>
  async world => {
    const path = await newPolicy(world)
    const rule_id = await world.run('addFirewallPolicyRule', { path, body: { rule: rule('rule', 1) } })
    return { path, body: { rule_id, ...body } }
  }

const badPorts: Fault = {
  reason: 'FIREWALL_RULE_INVALID',
  apply: aim => withRule(aim, { protocols: [{ protocol: 'NETWORK_PROTOCOL_TCP', ports: ['0'] }] }),
}

const absentSubnet: Fault = {
  reason: 'FIREWALL_RULE_INVALID',
  apply: aim => withRule(aim, { targets: { subnet_ids: [absentId] } }),
}

const absentRule: Fault = {
  reason: 'FIREWALL_RULE_NOT_FOUND',
  apply: aim => withBody(aim, { rule_id: absentId }),
}

/** Makes the fault that another rule of the policy has the name or the priority of the rule in the call. */
const ruleTaken = (reason: string, name: string, priority: number): Fault => ({
  reason,
  async apply(aim, { run }) {
    await run('addFirewallPolicyRule', { path: aim.path, body: { rule: rule(name, priority) } })
    return aim
  },
})

const changes: JsonObject = {
  priority: 9,
  action: 'NETWORK_FIREWALL_ACTION_DENY',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }],
}

const rules: Readonly<Record<string, Recipe>> = {
  addFirewallPolicyRule: {
    aim: async world => ({ path: await newPolicy(world), body: { rule: rule('rule', 9) } }),
    faults: {
      rule: badPorts,
      reference: absentSubnet,
      uniqueness: ruleTaken('FIREWALL_RULE_ALREADY_EXISTS', 'rule', 3),
      quota: noRoom('network.firewallPolicyRules', ({ path }) => ({
        firewall_policy_id: path['firewall_policy'] ?? '',
      })),
    },
  },
  updateFirewallPolicyRule: {
    aim: callOn({ rule: changes }),
    faults: {
      mask: { reason: 'UPDATE_MASK_INVALID', apply: aim => withBody(aim, { update_mask: 'nothing' }) },
      rule: badPorts,
      'existence of rule_id': absentRule,
      immutable: { reason: 'FIELD_IMMUTABLE', apply: aim => withRule(aim, { name: 'another' }) },
      reference: absentSubnet,
      uniqueness: ruleTaken('FIREWALL_RULE_PRIORITY_TAKEN', 'other', 9),
    },
  },
  removeFirewallPolicyRule: {
    aim: callOn({}),
    faults: { 'existence of rule_id': absentRule },
  },
}

/** The recipes of firewall policies and their rules. */
export const firewallRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(policy), ...rules },
  // The body names the rule, but the rule is the resource of the call (conventions §3).
  reasons: { FIREWALL_RULE_NOT_FOUND: 'existence of rule_id' },
}
