import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { FirewallPolicyInput, FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { absentId, addTenant } from '../../../areas/members.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

const engine = 'native'

let api: Ninefold
let workspace: string
let vpc_id: string
let policies = 0

beforeAll(async () => {
  api = (await (await testPlatform({ later: afterTests })).admin()).api
  workspace = (await addTenant(api, 'acme')).workspace
  vpc_id = await newVpc('net-1')
})

/** Creates a VPC in a new region of the same name, because the quota allows only a few VPCs in a region. */
async function newVpc(name: string): Promise<string> {
  await addRegions(api, [name])
  const body = { name, region: name, cidr_blocks: ['10.20.0.0/16'] }
  return (await api.network.createVpc({ workspace, engine, body })).resource_id
}

const createPolicy = (body: Partial<FirewallPolicyInput> = {}) =>
  api.network.createFirewallPolicy({
    workspace,
    engine,
    body: { name: `p-${(policies += 1)}`, vpc_id, priority: policies, ...body },
  })

/** Creates a policy, which `clear` deletes; returns its id. */
const policy = async (body?: Partial<FirewallPolicyInput>) => (await createPolicy(body)).resource_id

const get = (id: string) => api.network.getFirewallPolicy({ workspace, engine, id })

const add = (firewall_policy: string, rule: Partial<FirewallPolicyRuleInput>, etag?: string) =>
  api.network.addFirewallPolicyRule({
    workspace,
    engine,
    firewall_policy,
    body: { rule: { ...tcp('rule', 100), ...rule }, ...(etag !== undefined && { etag }) },
  })

const rulesOf = async (firewall_policy: string) =>
  (await api.network.listFirewallPolicyRules({ workspace, engine, firewall_policy })).rules

const remove = (id: string) => api.network.deleteFirewallPolicy({ workspace, engine, id })

describe('a firewall policy', () => {
  it('is created with its defaults, read, listed, changed and deleted', async () => {
    const operation = await api.network.createFirewallPolicy({ workspace, engine, body: { name: 'plain', vpc_id } })
    expect(operation).toMatchObject({
      resource_type: 'network.firewallPolicies',
      operation_type: 'NETWORK_OPERATION_TYPE_CREATE',
      status: 'NETWORK_OPERATION_STATUS_DONE',
      scope_id: workspace,
    })
    const { resource_id: id } = operation
    const created = await get(id)
    expect(created).toMatchObject({
      id,
      workspace_id: workspace,
      engine,
      vpc_id,
      priority: 1000,
      enabled: true,
      rule_count: 0,
      state: 'NETWORK_FIREWALL_POLICY_STATE_ACTIVE',
      display_name: '',
      labels: {},
    })
    const { firewall_policies } = await api.network.listFirewallPolicies({ workspace, engine, filter: 'name=plain' })
    expect(firewall_policies).toEqual([created])
    const body = { enabled: false, priority: 7, etag: created.etag }
    await api.network.updateFirewallPolicy({ workspace, engine, id, update_mask: 'enabled,priority', body })
    expect(await get(id)).toMatchObject({ enabled: false, priority: 7, etag: expect.not.stringMatching(created.etag) })
    await remove(id)
    await expect(get(id)).rejects.toMatchObject({ reason: 'FIREWALL_POLICY_NOT_FOUND', rpc: 'NOT_FOUND' })
  })

  it('is listed by priority, and by the declared filters and orders', async () => {
    const [late, early] = [await policy({ priority: 60_001 }), await policy({ priority: 60_000, enabled: false })]
    const listed = async (filter: string) =>
      (await api.network.listFirewallPolicies({ workspace, engine, filter })).firewall_policies.map(({ id }) => id)
    expect(await listed(`vpc_id=${vpc_id} AND priority>=60000`)).toEqual([early, late])
    expect(await listed('priority>=60000 AND enabled=false')).toEqual([early])
    for (const id of [late, early]) await remove(id)
  })

  it('needs a VPC of its workspace', async () => {
    await expect(createPolicy({ vpc_id: absentId })).rejects.toMatchObject({
      reason: 'VPC_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'vpc_id' }] },
    })
  })

  it('has a unique name in the workspace, and a unique priority in the VPC', async () => {
    const id = await policy({ name: 'taken', priority: 500 })
    await expect(createPolicy({ name: 'taken', priority: 500 })).rejects.toMatchObject({
      reason: 'FIREWALL_POLICY_ALREADY_EXISTS',
      details: { resource: { type: 'network.firewallPolicies', name: 'taken' } },
    })
    const isTaken = {
      reason: 'FIREWALL_POLICY_PRIORITY_TAKEN',
      rpc: 'ALREADY_EXISTS',
      metadata: { firewall_policy_id: id },
      details: { resource: { type: 'network.firewallPolicies', name: id } },
    }
    await expect(createPolicy({ priority: 500 })).rejects.toMatchObject(isTaken)
    const other = await policy({ priority: 501 })
    const change = { workspace, engine, id: other, update_mask: 'priority', body: { priority: 500 } }
    await expect(api.network.updateFirewallPolicy(change)).rejects.toMatchObject(isTaken)
    const elsewhere = await policy({ vpc_id: await newVpc('net-2'), priority: 500 })
    for (const each of [id, other, elsewhere]) await remove(each)
  })

  it('keeps its VPC, whose deletion reports the policy', async () => {
    const own = await newVpc('net-3')
    const id = await policy({ vpc_id: own })
    await expect(api.network.deleteVpc({ workspace, engine, id: own })).rejects.toMatchObject({
      reason: 'VPC_IN_USE',
      details: { precondition: [{ type: 'network.firewallPolicies', subject: own, description: '1 left' }] },
    })
    await add(id, tcp('rule', 1))
    await remove(id)
    await api.network.deleteVpc({ workspace, engine, id: own })
  })
})

describe('the rules of a firewall policy', () => {
  it('are listed by priority, and refused with the priority of another rule (scenario 5)', async () => {
    const id = await policy()
    const { resource_id: first, ...operation } = await add(id, tcp('allow-ssh', 200))
    expect(operation).toMatchObject({
      resource_type: 'network.firewallPolicyRules',
      operation_type: 'NETWORK_OPERATION_TYPE_CREATE',
      status: 'NETWORK_OPERATION_STATUS_DONE',
    })
    const deny = { ...tcp('deny-ssh', 100), action: 'NETWORK_FIREWALL_ACTION_DENY' } as const
    const { resource_id: second } = await add(id, { ...deny, peers: { ranges: ['10.0.0.0/8'] } })
    const rules = await rulesOf(id)
    expect(rules.map(rule => [rule.id, rule.priority])).toEqual([
      [second, 100],
      [first, 200],
    ])
    expect(rules[0]).toEqual(
      await api.network.getFirewallPolicyRule({ workspace, engine, firewall_policy: id, id: second }),
    )
    expect(rules[0]).toEqual({
      id: second,
      firewall_policy_id: id,
      ...deny,
      description: '',
      enabled: true,
      log: false,
      peers: { ranges: ['10.0.0.0/8'], subnet_ids: [], vm_labels: {} },
      create_time: expect.any(String),
      update_time: expect.any(String),
    })
    await expect(add(id, tcp('third', 100))).rejects.toMatchObject({
      reason: 'FIREWALL_RULE_PRIORITY_TAKEN',
      rpc: 'ALREADY_EXISTS',
      response: { status: 409 },
      metadata: { rule_id: second },
    })
    expect(await get(id)).toMatchObject({ rule_count: 2 })
    await remove(id)
  })

  it('have unique names in their policy only', async () => {
    const [one, other] = [await policy(), await policy()]
    await add(one, tcp('same', 1))
    await expect(add(one, tcp('same', 1))).rejects.toMatchObject({ reason: 'FIREWALL_RULE_ALREADY_EXISTS' })
    await add(other, tcp('same', 1))
    for (const id of [one, other]) await remove(id)
  })

  it('change the etag of the policy, and require it if it is given', async () => {
    const id = await policy()
    const tags = [(await get(id)).etag]
    const call = { workspace, engine, firewall_policy: id }
    const stale = { reason: 'ETAG_MISMATCH', rpc: 'ABORTED' }
    const { resource_id: rule_id } = await add(id, tcp('rule', 1), tags.at(-1))
    tags.push((await get(id)).etag)
    await expect(add(id, tcp('other', 2), tags[0])).rejects.toMatchObject(stale)
    const update = (etag?: string) =>
      api.network.updateFirewallPolicyRule({
        ...call,
        body: { rule_id, rule: { priority: 9 }, update_mask: 'priority', ...(etag !== undefined && { etag }) },
      })
    await expect(update(tags[0])).rejects.toMatchObject(stale)
    await update(tags[1])
    tags.push((await get(id)).etag)
    // The second change has the same values, so it changes nothing and the etag stays.
    await update()
    expect((await get(id)).etag).toBe(tags[2])
    await expect(
      api.network.removeFirewallPolicyRule({ ...call, body: { rule_id, etag: 'stale' } }),
    ).rejects.toMatchObject(stale)
    const removed = await api.network.removeFirewallPolicyRule({ ...call, body: { rule_id, etag: tags[2] ?? '' } })
    expect(removed).toMatchObject({
      resource_id: rule_id,
      resource_type: 'network.firewallPolicyRules',
      operation_type: 'NETWORK_OPERATION_TYPE_DELETE',
    })
    tags.push((await get(id)).etag)
    expect(new Set(tags).size).toBe(4)
    expect(await get(id)).toMatchObject({ rule_count: 0 })
    await remove(id)
  })

  it('change by a mask that is relative to the rule', async () => {
    const id = await policy()
    const peers = { ranges: ['10.0.0.0/8'], vm_labels: { role: 'web' } }
    const { resource_id: rule_id } = await add(id, { ...tcp('rule', 1), peers, log: true })
    const call = { workspace, engine, firewall_policy: id }
    const change = (update_mask: string, rule: Partial<FirewallPolicyRuleInput>) =>
      api.network.updateFirewallPolicyRule({ ...call, body: { rule_id, rule, update_mask } })
    const operation = await change('enabled,peers.ranges', { enabled: false, peers: { ranges: ['10.1.0.0/16'] } })
    expect(operation).toMatchObject({
      resource_id: rule_id,
      resource_type: 'network.firewallPolicyRules',
      operation_type: 'NETWORK_OPERATION_TYPE_UPDATE',
    })
    expect(await rulesOf(id)).toMatchObject([
      { enabled: false, log: true, peers: { ranges: ['10.1.0.0/16'], subnet_ids: [], vm_labels: { role: 'web' } } },
    ])
    // Without a mask, absent fields get their defaults.
    await change('', { ...tcp('rule', 2), protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }] })
    const [rule] = await rulesOf(id)
    expect(rule).toMatchObject({ enabled: true, log: false, priority: 2, protocols: [{ ports: [] }] })
    expect(rule).not.toHaveProperty('peers')
    await remove(id)
  })

  const faults: readonly (readonly [string, object, string, string])[] = [
    ['an unknown path', { update_mask: 'protocols.ports', rule: {} }, 'UPDATE_MASK_INVALID', 'update_mask'],
    ['a missing member', { update_mask: 'action', rule: {} }, 'FIELD_INVALID', 'rule.action'],
    ['a missing member without a mask', { rule: { priority: 1 } }, 'FIELD_INVALID', 'rule.action'],
    ['another name', { update_mask: 'name', rule: { name: 'other' } }, 'FIELD_IMMUTABLE', 'rule.name'],
    ['a wrong form', { update_mask: 'log', rule: { protocols: [] } }, 'FIELD_INVALID', 'rule.protocols'],
    [
      'a wrong range',
      { update_mask: 'log', rule: { peers: { ranges: ['10.0.0.1/8'] } } },
      'FIREWALL_RULE_INVALID',
      'rule.peers.ranges[0]',
    ],
  ]

  it.each(faults)('refuse an update with %s at its field', async (_, body, reason, field) => {
    const id = await policy()
    const { resource_id: rule_id } = await add(id, tcp('rule', 1))
    const call = api.network.updateFirewallPolicyRule({
      workspace,
      engine,
      firewall_policy: id,
      body: { rule_id, rule: {}, ...body },
    })
    await expect(call).rejects.toMatchObject({ reason, rpc: 'INVALID_ARGUMENT' })
    await expect(call).rejects.toHaveProperty(
      'details.badRequest',
      expect.arrayContaining([expect.objectContaining({ field })]),
    )
    await remove(id)
  })

  it('are absent in another policy', async () => {
    const [one, other] = [await policy(), await policy()]
    const { resource_id: rule_id } = await add(one, tcp('rule', 1))
    const call = { workspace, engine, firewall_policy: other }
    const absent = { reason: 'FIREWALL_RULE_NOT_FOUND', rpc: 'NOT_FOUND', response: { status: 404 } }
    await expect(api.network.getFirewallPolicyRule({ ...call, id: rule_id })).rejects.toMatchObject(absent)
    await expect(api.network.removeFirewallPolicyRule({ ...call, body: { rule_id } })).rejects.toMatchObject(absent)
    await expect(
      api.network.updateFirewallPolicyRule({ ...call, body: { rule_id, rule: {}, update_mask: 'log' } }),
    ).rejects.toMatchObject(absent)
    await expect(rulesOf(absentId)).rejects.toMatchObject({ reason: 'FIREWALL_POLICY_NOT_FOUND' })
    for (const id of [one, other]) await remove(id)
  })
})

describe('quotas', () => {
  const limited = (quota_definition: string, dimensions: Readonly<Record<string, string>>, limit: number) =>
    api.network.createQuotaLimit({
      quota_definition,
      body: { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace, dimensions, limit },
    })

  it('count the rules of one policy, whose bucket goes with the policy', async () => {
    const quota_definition = 'network.firewallPolicyRules'
    const id = await policy()
    const { resource_id: limit } = await limited(quota_definition, { firewall_policy_id: id }, 1)
    await add(id, tcp('one', 1))
    await expect(add(id, tcp('two', 2))).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: quota_definition, limit: '1', usage: '1', requested: '1', firewall_policy_id: id },
    })
    expect(await get(id)).toMatchObject({ rule_count: 1 })
    expect(await api.network.getQuotaLimit({ quota_definition, id: limit })).toMatchObject({ usage: 1 })
    await remove(id)
    await api.network.deleteQuotaLimit({ quota_definition, id: limit })
  })

  it('count the policies of a workspace', async () => {
    const { resource_id: id } = await limited('network.firewallPolicies', {}, 0)
    await expect(createPolicy()).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: 'network.firewallPolicies', limit: '0' },
    })
    await api.network.deleteQuotaLimit({ quota_definition: 'network.firewallPolicies', id })
  })
})
