import { beforeAll, describe, expect, it } from 'vitest'
import {
  firewallPolicyFields,
  firewallPolicyRuleFields,
  quotaLimitFields,
  subnetFields,
  vpcFields,
} from '../../../output/network/validators.ts'
import type { Fields } from '../../../runtime/field-mask.ts'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { firewallCalls } from './firewall/firewall-calls.ts'
import { tcp } from './firewall/rule-bodies.ts'
import { tenantNetwork, type TenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

let net: TenantNetwork
let token: string
const paths: Record<string, string> = {}
let rule_id: string

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  token = (await net.platform.admin()).token
  const firewall = firewallCalls(net.api, net.workspace)
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const policy = await firewall.policy(vpc, 'p-1')
  rule_id = await firewall.rule(policy, tcp('rule', 1))
  const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: net.workspace } as const
  const { resource_id: limit } = await net.api.network.createQuotaLimit({
    quota_definition: 'network.vpcs',
    body: { ...scope, dimensions: { region: 'local1' }, limit: 3 },
  })
  const engine = `workspaces/${net.workspace}/engines/native`
  paths['VPC'] = `${engine}/vpcs/${vpc}`
  paths['subnet'] = `${engine}/subnets/${await net.subnet(vpc, 's1', '10.20.1.0/24')}`
  paths['firewall policy'] = `${engine}/firewall-policies/${policy}`
  paths['firewall rule'] = `${engine}/firewall-policies/${policy}:updateRule`
  paths['quota limit'] = `quota-definitions/network.vpcs/limits/${limit}`
})

interface Answer {
  readonly details?: readonly { readonly reason?: string }[]
}

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await net.platform.from('192.0.2.9')(`${baseUrl}/network/v1/${path}`, init)).json()
}

/**
 * Values that schemas of the area accept, and some values that no schema accepts. Rules about the form refuse many of
 * these values.
 */
const values: readonly unknown[] = [
  'a',
  'x'.repeat(63),
  absentId,
  '0.0.0.0/0',
  '10.20.1.0/30',
  '10.20.1.1/24',
  '255.255.255.255/32',
  '0.0.0.0',
  '10.20.1.0',
  '10.20.1.254',
  '255.255.255.255',
  'NETWORK_SCOPE_TYPE_ORGANISATION',
  'NETWORK_FIREWALL_DIRECTION_EGRESS',
  {},
  { region: 'nowhere' },
  { zone: 'local1-a', region: 'local1' },
  null,
  [],
  -1,
]

const immutable = (fields: Fields): readonly string[] =>
  Object.keys(fields).filter(name => fields[name]?.behavior === 'immutable')

const updates: readonly (readonly [of: string, member: string])[] = Object.entries({
  VPC: vpcFields,
  subnet: subnetFields,
  'firewall policy': firewallPolicyFields,
  'firewall rule': firewallPolicyRuleFields,
  'quota limit': quotaLimitFields,
}).flatMap(([of, fields]) => immutable(fields).map(member => [of, member] as const))

describe('the update of a', () => {
  it.each(updates)('%s refuses a %s of any form, and only as documented', async (of, member) => {
    const whole = of === 'firewall rule' ? {} : await call('GET', paths[of] ?? '')
    for (const value of values) {
      // A rule of the form may judge one member by another.
      for (const given of [{ [member]: value }, { ...whole, [member]: value }]) {
        const answer =
          of === 'firewall rule'
            ? await call('POST', paths[of] ?? '', { rule_id, rule: given })
            : await call('PATCH', paths[of] ?? '', given)
        const [info] = answer.details ?? []
        const isExpected = /^FIELD_(IMMUTABLE|INVALID)$/.test(info?.reason ?? '')
        expect({ value, reason: info?.reason, isExpected }).toMatchObject({ isExpected: true })
      }
    }
  })

  it('finds members of every resource', () => {
    expect(new Set(updates.map(([of]) => of)).size).toBe(5)
    expect(updates.length).toBeGreaterThanOrEqual(13)
  })
})
