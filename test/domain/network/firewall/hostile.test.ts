import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId, addTenant } from '../../../areas/members.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { callsOf } from '../machines/tenant-network.ts'
import { firewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let token: string
let policies: string
let policy: string
let rule: string
let vpc: string

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  const admin = await platform.admin()
  token = admin.token
  const { workspace } = await addTenant(admin.api, 'acme')
  const firewall = firewallCalls(admin.api, workspace)
  vpc = await callsOf(admin.api, workspace).vpc('net-1', '10.20.0.0/16')
  policy = await firewall.policy(vpc, 'p-1')
  rule = await firewall.rule(policy, tcp('rule', 1))
  policies = `${baseUrl}/network/v1/workspaces/${workspace}/engines/native/firewall-policies`
})

async function post(path: string, body: string): Promise<{ readonly status: number; readonly reason: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await platform.from('192.0.2.7')(`${policies}${path}`, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, reason: /"reason":"(\w+)"/.exec(text)?.[1] ?? '' }
}

/** Values that fit at most a few members of a rule or of a policy. */
const values: readonly unknown[] = [
  null,
  true,
  -1,
  65_535.5,
  2 ** 53,
  '',
  '\0',
  '\ud800',
  '__proto__',
  '10.0.0.0/8; DROP TABLE',
  'x'.repeat(100_000),
  [],
  [null],
  Array.from({ length: 10_000 }, () => '10.0.0.0/8'),
  {},
  { constructor: 'x', toString: 'y' },
]

const ruleMembers = `
  name description priority direction action enabled log protocols peers targets
  peers.ranges peers.subnet_ids peers.vm_labels targets.subnet_ids targets.vm_labels
  protocols.protocol protocols.ports protocols.icmp_type __proto__ nothing`
  .trim()
  .split(/\s+/)

/** Returns the JSON text of a rule with one member replaced. `__proto__` becomes an own member, as JSON makes it. */
function ruleWith(path: string, value: unknown): string {
  const [member = '', inner] = path.split('.')
  const given = JSON.stringify(value) ?? 'null'
  const whole = inner === undefined ? given : `{${JSON.stringify(inner)}: ${given}}`
  const replaced = member === 'protocols' && inner !== undefined ? `[${whole}]` : whole
  const { [member]: _replaced, ...rest } = { ...tcp('hostile', 7) } as Record<string, unknown>
  return `${JSON.stringify(rest).slice(0, -1)}, ${JSON.stringify(member)}: ${replaced}}`
}

const documented = new Set(['FIELD_INVALID', 'FIREWALL_RULE_INVALID', 'FIELD_IMMUTABLE', 'UPDATE_MASK_INVALID'])

describe('hostile members', () => {
  it.each(ruleMembers)('of a rule at %s are refused as documented, or are valid', async path => {
    for (const value of values) {
      const body = ruleWith(path, value)
      const added = await post(`/${policy}:addRule`, `{"rule": ${body}}`)
      if (added.status === 200) {
        expect(await removeHostile()).toBe(200)
      } else {
        expect([added.status, documented.has(added.reason), added.reason]).toEqual([400, true, added.reason])
      }
      const update = `{"rule_id": "${rule}", "update_mask": ${JSON.stringify(path.split('.')[0])}, "rule": ${body}}`
      const updated = await post(`/${policy}:updateRule`, update)
      if (updated.status !== 200) {
        expect([updated.status, documented.has(updated.reason), updated.reason]).toEqual([400, true, updated.reason])
      }
    }
  })

  /** Removes the rule that a valid value has added; returns the status of the response. */
  async function removeHostile(): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await platform.from('192.0.2.7')(`${policies}/${policy}/rules`, { headers })
    const { rules }: { readonly rules: readonly { readonly id: string }[] } = JSON.parse(await answer.text())
    const added = rules.find(({ id }) => id !== rule)
    return (await post(`/${policy}:removeRule`, JSON.stringify({ rule_id: added?.id }))).status
  }

  it.each(['name', 'vpc_id', 'priority', 'enabled', 'labels', 'description', 'display_name'])(
    'of a policy at %s are refused as documented, or are valid',
    async member => {
      for (const value of values) {
        const { reason, status } = await post('', JSON.stringify({ name: 'p-1', vpc_id: vpc, [member]: value }))
        // A valid value repeats a name that already exists.
        const isFine = documented.has(reason) || reason === 'FIREWALL_POLICY_ALREADY_EXISTS'
        expect([isFine, reason, status < 500]).toEqual([true, reason, true])
      }
    },
  )

  const bodies: readonly (readonly [string, string])[] = [
    [':removeRule', `{"rule_id": "../${absentId}"}`],
    [':removeRule', `{"rule_id": ["${absentId}"]}`],
    [':removeRule', '[]'],
    [':updateRule', `{"rule_id": "${absentId}", "rule": [], "update_mask": "log"}`],
    [':updateRule', `{"rule_id": "${absentId}", "rule": {}, "update_mask": {"a": 1}}`],
    [':addRule', '{"rule": null}'],
    [':addRule', '{'],
  ]

  it.each(bodies)('of %s as %s are refused', async (verb, body) => {
    expect(await post(`/${policy}${verb}`, body)).toEqual({ status: 400, reason: 'FIELD_INVALID' })
  })

  it('leave no finding of the doctor and no error in the log', async () => {
    expect(await doctorFindings(platform.config)).toEqual([])
    expect(platform.lines.filter(line => line.includes('INTERNAL'))).toEqual([])
  })
})
