import { beforeAll, describe, expect, it } from 'vitest'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId } from '../../../areas/members.ts'
import { areasWithMachines } from '../machines/machine-area.ts'
import { tenantNetwork, type TenantNetwork } from '../machines/tenant-network.ts'
import { firewallCalls, type FirewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

const engine = 'native'

let net: TenantNetwork
let firewall: FirewallCalls
let vpc: string
let made = 0

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  firewall = firewallCalls(net.api, net.workspace)
  vpc = await net.vpc('net-1', '10.20.0.0/16')
})

const subnet = () => net.subnet(vpc, `s-${(made += 1)}`, `10.20.${made}.0/24`)

const policy = () => firewall.policy(vpc, `p-${(made += 1)}`, { priority: made })

const deleteSubnet = (id: string) => net.api.network.deleteSubnet({ workspace: net.workspace, engine, id })

describe('a rule that names a subnet', () => {
  const places: readonly (readonly [string, (id: string) => Partial<FirewallPolicyRuleInput>])[] = [
    ['rule.peers.subnet_ids[0]', id => ({ peers: { subnet_ids: [id] } })],
    ['rule.targets.subnet_ids[0]', id => ({ targets: { subnet_ids: [id] } })],
  ]

  it.each(places)('is refused at %s if the VPC has no such subnet', async (field, members) => {
    const [id, other] = [await policy(), await net.vpc(`other-${(made += 1)}`, '10.20.0.0/16')]
    const refused = { reason: 'FIREWALL_RULE_INVALID', rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field }] } }
    const foreign = await net.subnet(other, 's1', '10.20.1.0/24')
    for (const each of [absentId, foreign]) {
      await expect(firewall.rule(id, { ...tcp('rule', 1), ...members(each) })).rejects.toMatchObject(refused)
    }
    const rule = await firewall.rule(id, tcp('rule', 1))
    await expect(firewall.updateRule(id, rule, members(foreign))).rejects.toMatchObject(refused)
    expect(await firewall.getPolicy(id)).toMatchObject({ rule_count: 1 })
    await net.api.network.deleteSubnet({ workspace: net.workspace, engine, id: foreign })
    for (const gone of [() => firewall.deletePolicy(id), () => deleteVpc(other)]) await gone()
  })

  const deleteVpc = (id: string) => net.api.network.deleteVpc({ workspace: net.workspace, engine, id })

  /**
   * The cases of a rule that loses the subnet `gone`: the name of the case, the members of the rule before, the changed
   * members, and whether the deletion of the subnet disables the rule.
   */
  const dropped: readonly (readonly [
    string,
    (gone: string, kept: string) => Partial<FirewallPolicyRuleInput>,
    (kept: string) => object,
    boolean,
  ])[] = [
    [
      'keeps its other peer subnet',
      (gone, kept) => ({ peers: { subnet_ids: [gone, kept] } }),
      kept => ({ peers: { subnet_ids: [kept] } }),
      false,
    ],
    [
      'keeps its ranges',
      gone => ({ peers: { subnet_ids: [gone], ranges: ['10.0.0.0/8'] } }),
      () => ({ peers: { subnet_ids: [], ranges: ['10.0.0.0/8'] } }),
      false,
    ],
    [
      'keeps its labels',
      gone => ({ peers: { subnet_ids: [gone], vm_labels: { role: 'web' } } }),
      () => ({ peers: { subnet_ids: [], vm_labels: { role: 'web' } } }),
      false,
    ],
    [
      'is disabled without peers',
      gone => ({ peers: { subnet_ids: [gone] } }),
      () => ({ peers: { subnet_ids: [] } }),
      true,
    ],
    [
      'is disabled without target subnets',
      gone => ({ targets: { subnet_ids: [gone] } }),
      () => ({ targets: { subnet_ids: [] } }),
      true,
    ],
    [
      'is disabled without target subnets in spite of target labels',
      gone => ({ targets: { subnet_ids: [gone], vm_labels: { role: 'web' } } }),
      () => ({ targets: { subnet_ids: [], vm_labels: { role: 'web' } } }),
      true,
    ],
    [
      'keeps its other target subnet',
      (gone, kept) => ({ peers: {}, targets: { subnet_ids: [gone, kept] } }),
      kept => ({ targets: { subnet_ids: [kept] } }),
      false,
    ],
    [
      'stays disabled, with the same warning',
      gone => ({ enabled: false, peers: { subnet_ids: [gone] } }),
      () => ({ peers: { subnet_ids: [] } }),
      true,
    ],
  ]

  it.each(dropped)('%s once the subnet is deleted', async (_, members, left, isDisabled) => {
    const [gone, kept, id] = [await subnet(), await subnet(), await policy()]
    const rule = await firewall.rule(id, { ...tcp('rule', 1), ...members(gone, kept) })
    const untouched = await firewall.rule(id, { ...tcp('untouched', 2), peers: { subnet_ids: [kept] } })
    const before = await firewall.getPolicy(id)
    const [, bystander] = await firewall.rulesOf(id)
    const { warnings } = await deleteSubnet(gone)
    expect(warnings).toEqual(
      isDisabled ? [{ code: 3_004_090, description: expect.stringMatching(`^rule rule \\(${rule}\\)`) }] : [],
    )
    const rules = await firewall.rulesOf(id)
    expect(rules).toMatchObject([{ id: rule, enabled: !isDisabled, ...left(kept) }, { id: untouched }])
    expect(rules[1]).toEqual(bystander)
    expect((await firewall.getPolicy(id)).etag).not.toBe(before.etag)
    await firewall.deletePolicy(id)
    await deleteSubnet(kept)
  })

  it('of another policy is unchanged, and so is the etag of the policy', async () => {
    const [gone, id] = [await subnet(), await policy()]
    await firewall.rule(id, tcp('rule', 1))
    const before = await firewall.getPolicy(id)
    expect((await deleteSubnet(gone)).warnings).toEqual([])
    expect(await firewall.getPolicy(id)).toEqual(before)
  })

  it('leaves no finding of the doctor', async () => {
    expect(await doctorFindings(net.platform.config, areasWithMachines)).toEqual([])
  })
})
