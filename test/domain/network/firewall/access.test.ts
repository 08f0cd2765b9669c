import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { callsOf } from '../machines/tenant-network.ts'
import { firewallCalls, type FirewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

let firewall: FirewallCalls
let locked: string
let open: string

/**
 * Creates the firewall policies `locked` and `open`, and a policy of iam that denies all changes of rules in `locked`.
 */
beforeAll(async () => {
  const { api } = await (await testPlatform({ later: afterTests })).admin()
  const { workspace } = await addTenant(api, 'acme')
  firewall = firewallCalls(api, workspace)
  const vpc = await callsOf(api, workspace).vpc('net-1', '10.20.0.0/16')
  locked = await firewall.policy(vpc, 'locked', { priority: 1 })
  open = await firewall.policy(vpc, 'open', { priority: 2 })
  for (const policy of [locked, open]) await firewall.rule(policy, tcp('rule', 1))
  const permissions = ['create', 'update', 'delete'].map(verb => `network.firewallPolicyRules.${verb}`)
  const statement = { effect: 'DENY' as const, principals: ['all'], permissions }
  const resources = ['network.firewallPolicies/name:locked*']
  await api.iam.createPolicy({ workspace, body: { name: 'lock', statements: [{ ...statement, resources }] } })
})

describe('a policy of iam that names a firewall policy', () => {
  const changes: readonly (readonly [string, (policy: string, rule: string) => Promise<unknown>])[] = [
    ['a new rule', policy => firewall.rule(policy, tcp('new', 2))],
    ['an update of a rule', (policy, rule) => firewall.updateRule(policy, rule, { log: true })],
    ['the removal of a rule', (policy, rule) => firewall.removeRule(policy, rule)],
  ]

  it.each(changes)('denies %s in that policy alone', async (_, change) => {
    const ruleOf = async (policy: string) => (await firewall.rulesOf(policy))[0]?.id ?? ''
    await expect(change(locked, await ruleOf(locked))).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
    await change(open, await ruleOf(open))
  })
})
