import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { firewallPolicyCollection } from '../../../../domain/network/firewall/policies-store.ts'
import { firewallRuleCollection } from '../../../../domain/network/firewall/rules-store.ts'
import { subnetCollection } from '../../../../domain/network/subnets/subnets-store.ts'
import type { Transaction } from '../../../../domain/ports/store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { absentId, addTenant } from '../../../areas/members.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { patch, remove } from '../../taxonomy/broken-store.ts'
import { callsOf } from '../machines/tenant-network.ts'
import { firewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

const collections = storeCollections(areas)

let left: StorePlace
let ids: Awaited<ReturnType<typeof fill>>

/**
 * Creates a policy of priority 10 with two rules, of which the first names the subnet twice, and a policy without
 * rules; returns the ids.
 */
async function fill(api: Ninefold) {
  const { workspace } = await addTenant(api, 'acme')
  const [net, firewall] = [callsOf(api, workspace), firewallCalls(api, workspace)]
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const subnet = await net.subnet(vpc, 's1', '10.20.1.0/24')
  const policy = await firewall.policy(vpc, 'p-1', { priority: 10 })
  const named = { peers: { subnet_ids: [subnet] }, targets: { subnet_ids: [subnet] } }
  const first = await firewall.rule(policy, { ...tcp('first', 1), ...named })
  const second = await firewall.rule(policy, tcp('second', 2))
  return { vpc, subnet, policy, first, second, empty: await firewall.policy(vpc, 'p-2', { priority: 20 }) }
}

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  ids = await whileOpen(left, fill, areas)
})

const policyType = 'network.firewallPolicies'
const ruleType = 'network.firewallPolicyRules'

const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
  ['nothing', async () => undefined, () => []],
  [
    'a policy with another number of rules',
    tx => patch(tx, firewallPolicyCollection, ids.policy, { rule_count: 3 }),
    () => [`${policyType} ${ids.policy}: has the rule_count 3; the number of its rules is 2`],
  ],
  [
    'a rule that is gone',
    tx => remove(tx, firewallRuleCollection, ids.second),
    () => [`${policyType} ${ids.policy}: has the rule_count 2; the number of its rules is 1`],
  ],
  [
    'policies of one priority',
    tx => patch(tx, firewallPolicyCollection, ids.empty, { priority: 10 }),
    () =>
      [ids.policy, ids.empty].map(
        id => `${policyType} ${id}: has the priority 10, as has another policy of VPC ${ids.vpc}`,
      ),
  ],
  [
    'rules of one priority',
    tx => patch(tx, firewallRuleCollection, ids.second, { priority: 1 }),
    () =>
      [ids.first, ids.second].map(
        id => `${ruleType} ${id}: has the priority 1, as has another rule of firewall policy ${ids.policy}`,
      ),
  ],
  [
    'a rule of another VPC than its policy',
    tx => patch(tx, firewallRuleCollection, ids.second, { vpc_id: absentId }),
    () => [`${ruleType} ${ids.second}: has another workspace, engine or VPC than its firewall policy ${ids.policy}`],
  ],
  [
    'a rule of no policy',
    tx => patch(tx, firewallRuleCollection, ids.second, { firewall_policy_id: absentId }),
    () => [
      `${policyType} ${ids.policy}: has the rule_count 2; the number of its rules is 1`,
      `${ruleType} ${ids.second}: is a rule of firewall policy ${absentId}, which does not exist`,
    ],
  ],
  [
    'a rule that names a deleted subnet',
    async tx => {
      await patch(tx, firewallRuleCollection, ids.second, {
        peers: { ranges: [], subnet_ids: [absentId], vm_labels: {} },
      })
    },
    () => [`${ruleType} ${ids.second}: names subnet ${absentId}, which VPC ${ids.vpc} does not have`],
  ],
]

describe('the doctor', () => {
  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, collections, onTestFinished)
    const store = await openBeside(place, collections)
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place)).toEqual(expected())
  })

  it('names a rule once whose subnet is of another VPC', async () => {
    const place = await copyPlace(left, collections, onTestFinished)
    const store = await openBeside(place, collections)
    await store.tx(tx => patch(tx, subnetCollection, ids.subnet, { vpc_id: absentId }))
    await store.close()
    const found = (await doctorFindings(place)).filter(each => each.startsWith(ruleType))
    expect(found).toEqual([`${ruleType} ${ids.first}: names subnet ${ids.subnet}, which VPC ${ids.vpc} does not have`])
  })
})
