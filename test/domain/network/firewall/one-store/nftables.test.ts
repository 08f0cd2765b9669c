import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../../../domain/addresses/ipv4.ts'
import type { Packet } from '../../../../../domain/network/firewall/evaluate.ts'
import { nftRuleset, type TapVpc } from '../../../../../domain/network/firewall/nftables.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { policyOf } from '../../packets/policies.ts'
import { naiveRules, naiveVerdict } from '../naive-evaluator.ts'
import { randomLabels, randomPacket, randomRule } from '../random-policies.ts'
import { allow, tcp } from '../rule-bodies.ts'

const subnets = [
  { id: 'a', cidr_block: '10.20.0.0/24' },
  { id: 'b', cidr_block: '10.20.1.0/25' },
]
const blocks = new Map(subnets.map(({ cidr_block, id }) => [id, cidr_block]))

const tapVpc = (policies: TapVpc['policies'], labels: readonly Record<string, string>[]): TapVpc => {
  const taps = labels.map((own, i) => ({
    ip_address: `10.20.${i % 2}.${5 + i}`,
    mac_address: `02:00:00:00:00:0${i}`,
    subnet_id: i % 2 === 0 ? 'a' : 'b',
    labels: own,
    device: `tap${i}`,
  }))
  return { id: '01a2264f-29df-7277-b5dc-440f827078e3', policies, subnets: blocks, taps, ports: taps }
}

const randomVpc = (random: Random): TapVpc =>
  tapVpc(
    [policyOf(...Array.from({ length: random.below(8) }, (_, i) => randomRule(random, { subnets }, `rule-${i}`, i)))],
    Array.from({ length: 4 }, () => randomLabels(random)),
  )

/** Returns the lines of a chain. */
const chainOf = (ruleset: string, name: string): readonly string[] => {
  const [, body = ''] = new RegExp(`  chain ${name} \\{\\n(.*?)\\n  \\}`, 's').exec(ruleset) ?? []
  return body.split('\n').map(line => line.trim())
}

/** Returns whether a value lies in the elements of a set, as `fold` orders them. */
function isIn(set: string, value: number, fold: (text: string) => number): boolean {
  return set.split(', ').some(element => {
    const [first = '', last = first] = element.split('-')
    return fold(first) <= value && value <= fold(last)
  })
}

const number = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** Returns whether a line of a ruleset matches a packet, by the meaning that nft(8) gives to the line. */
function fits(line: string, { peer, protocol, selector }: Packet): boolean {
  const [, peers] = /ip [sd]addr \{ (.*?) \}/.exec(line) ?? []
  if (peers !== undefined && !isIn(peers, peer, number)) return false
  const [, name, ports] = /(tcp|udp) dport \{ (.*?) \}/.exec(line) ?? []
  if (name !== undefined) return name === protocol.toLowerCase() && isIn(ports ?? '', selector, Number)
  const [, type] = /icmp type (\d+)/.exec(line) ?? []
  if (type !== undefined) return protocol === 'ICMP' && Number(type) === selector
  const [, only] = /meta l4proto (\w+)/.exec(line) ?? []
  return only === undefined || only === protocol.toLowerCase()
}

describe('the nftables ruleset', () => {
  it('has the chains of each port, and exchanges packets within the VPC only', () => {
    const rules = policyOf(
      { ...tcp('ssh', 100), log: true, peers: { ranges: ['10.0.0.0/9', '10.64.0.0/10', '10.128.0.0/9'] } },
      {
        ...allow('web', 200, 'NETWORK_PROTOCOL_TCP', ['443', '8000-8100', '80']),
        targets: { vm_labels: { role: 'web' } },
      },
      { ...allow('ping', 300, 'NETWORK_PROTOCOL_ICMP'), action: 'NETWORK_FIREWALL_ACTION_DENY' },
      { ...allow('labels', 400, 'NETWORK_PROTOCOL_UDP'), peers: { vm_labels: { role: 'none' } } },
    )
    const ruleset = nftRuleset(tapVpc([rules], [{ role: 'web' }, {}]))
    expect(ruleset).toBe(`table inet ninefold_01a2264f_29df_7277_b5dc_440f827078e3
delete table inet ninefold_01a2264f_29df_7277_b5dc_440f827078e3
table inet ninefold_01a2264f_29df_7277_b5dc_440f827078e3 {
  set vpc_ports {
    type ifname
    elements = { "tap0", "tap1" }
  }
  chain source_0 {
    meta nfproto != ipv4 drop
    ether saddr != 02:00:00:00:00:00 drop
    ip saddr != 10.20.0.5 drop
  }
  chain egress_0 {
    return
  }
  chain ingress_0 {
    ip saddr { 10.0.0.0-10.255.255.255 } tcp dport { 22 } log prefix "ninefold ssh " accept
    tcp dport { 80, 443, 8000-8100 } accept
    meta l4proto icmp drop
    drop
  }
  chain source_1 {
    meta nfproto != ipv4 drop
    ether saddr != 02:00:00:00:00:01 drop
    ip saddr != 10.20.1.6 drop
  }
  chain egress_1 {
    return
  }
  chain ingress_1 {
    ip saddr { 10.0.0.0-10.255.255.255 } tcp dport { 22 } log prefix "ninefold ssh " accept
    meta l4proto icmp drop
    drop
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
    iifname "tap0" jump source_0
    iifname "tap1" jump source_1
    iifname @vpc_ports oifname != @vpc_ports drop
    iifname != @vpc_ports oifname @vpc_ports drop
    iifname @vpc_ports ct state established,related accept
    iifname "tap0" jump egress_0
    iifname "tap1" jump egress_1
    oifname "tap0" goto ingress_0
    oifname "tap1" goto ingress_1
  }
}
`)
  })

  it('decides as the effective rules of the port', () => {
    const seed = Date.now() % 2 ** 31
    const random = seeded(seed)
    for (let round = 0; round < 30; round += 1) {
      const vpc = randomVpc(random)
      const ruleset = nftRuleset(vpc)
      for (let i = 0; i < 30; i += 1) {
        const packet = randomPacket(random)
        const index = random.below(vpc.taps.length)
        const chain = chainOf(ruleset, `${packet.direction.endsWith('INGRESS') ? 'ingress' : 'egress'}_${index}`)
        const line = chain.find(text => fits(text, packet)) ?? ''
        const port = vpc.taps[index] ?? random.oneOf(vpc.taps)
        const expected = naiveVerdict(naiveRules(vpc.policies, port), packet, { subnets: blocks, ports: vpc.ports })
        const isAllowed = /(?:accept|return)$/.test(line)
        const context = `seed ${seed}, ${formatAddress(packet.peer)}, ${JSON.stringify(packet)}\n${ruleset}`
        expect(isAllowed, context).toBe(expected.action === 'NETWORK_FIREWALL_ACTION_ALLOW')
      }
    }
  })

  it('is accepted by nft', context => {
    const random = seeded(5)
    const vpcs = [tapVpc([], []), ...Array.from({ length: 10 }, () => randomVpc(random))]
    const check = (text: string) =>
      spawnSync('unshare', ['-rn', 'nft', '-c', '-f', '-'], { input: text, encoding: 'utf8' })
    // A namespace of users and of the network permits the check without root.
    const { error, status } = check('table inet probe\n')
    if (error !== undefined || status !== 0)
      return context.skip('nft cannot run here: install nftables to run this test')
    expect(vpcs.map(vpc => check(nftRuleset(vpc)).stderr)).toEqual(vpcs.map(() => ''))
  })

  it.each(['tap 0', '', 'a-name-of-sixteen', 'tap0"; drop'])('refuses the name %j of a device', device => {
    const vpc = tapVpc([], [{}])
    expect(() => nftRuleset({ ...vpc, taps: vpc.taps.map(tap => ({ ...tap, device })) })).toThrow('no name of a device')
  })
})
