import { describe, expect, it, onTestFinished } from 'vitest'
import { firewallPolicyCollection } from '../../../../domain/network/firewall/policies-store.ts'
import { firewallRuleCollection } from '../../../../domain/network/firewall/rules-store.ts'
import { quotas } from '../../../../domain/network/quotas.ts'
import { references } from '../../../../domain/resources/references.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { callsOf } from '../machines/tenant-network.ts'
import { firewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'

/** Makes a workspace with a policy of three rules; returns its calls, its ids and a store on the same data. */
async function filled() {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const [net, firewall] = [callsOf(api, workspace), firewallCalls(api, workspace)]
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const subnet = await net.subnet(vpc, 's1', '10.20.1.0/24')
  const policy = await firewall.policy(vpc, 'p-1')
  for (const i of [1, 2, 3]) await firewall.rule(policy, { ...tcp(`r-${i}`, i), peers: { subnet_ids: [subnet] } })
  const store = await openBeside(platform.config, storeCollections(areas))
  onTestFinished(() => store.close())
  return { api, firewall, organisation, platform, policy, store, workspace }
}

/**
 * Returns the numbers of firewall policies, of rules, of quota buckets of the policy, and of references by firewall
 * policies.
 */
async function left(store: Store, policy: string): Promise<readonly number[]> {
  const buckets = []
  for await (const { id } of store.each(quotas.buckets)) if (id.includes(policy)) buckets.push(id)
  const uses = { holder_type: 'network.firewallPolicies' }
  return [
    await store.count(firewallPolicyCollection),
    await store.count(firewallRuleCollection),
    buckets.length,
    await store.count(references, uses),
  ]
}

describe('the rules of a policy', () => {
  it('are deleted with the policy, its bucket and its references', async () => {
    const { firewall, policy, store } = await filled()
    expect(await left(store, policy)).toEqual([1, 3, 1, 1])
    await firewall.deletePolicy(policy)
    expect(await left(store, policy)).toEqual([0, 0, 0, 0])
  })

  it('are deleted with their workspace, whose deletion only the policy prevents', async () => {
    const { api, organisation, platform, policy, store, workspace: id } = await filled()
    await api.taxonomy.archiveWorkspace({ organisation, id, body: {} })
    const held = (type: string) => ({ type, subject: id, description: '1 left' })
    await expect(api.taxonomy.deleteWorkspace({ organisation, id })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_EMPTY',
      details: {
        precondition: ['network.firewallPolicies', 'network.subnets', 'network.vpcs'].map(held),
      },
    })
    const deleted = await api.taxonomy.deleteWorkspace({ organisation, id, force: true })
    await api.taxonomy.waitOperation(deleted)
    await expect.poll(() => left(store, policy)).toEqual([0, 0, 0, 0])
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('are kept in a suspended workspace, whose changes are refused', async () => {
    const { api, firewall, organisation, policy, workspace: id } = await filled()
    await api.taxonomy.suspendWorkspace({ organisation, id, body: {} })
    const rules = await firewall.rulesOf(policy)
    const refusal = { reason: 'WORKSPACE_NOT_ACTIVE' }
    await expect(firewall.rule(policy, tcp('new', 9))).rejects.toMatchObject(refusal)
    await expect(firewall.updateRule(policy, rules[0]?.id ?? '', { log: true })).rejects.toMatchObject(refusal)
    await expect(firewall.removeRule(policy, rules[0]?.id ?? '')).rejects.toMatchObject(refusal)
    await expect(firewall.deletePolicy(policy)).rejects.toMatchObject(refusal)
    expect(await firewall.rulesOf(policy)).toEqual(rules)
  })
})
