import { describe, expect, it } from 'vitest'
import { requireRuleForm } from '../../../../../domain/network/firewall/rule-form.ts'
import type { FirewallPolicyRuleUpdate, ProtocolMatchInput } from '../../../../../output/network/types.ts'
import { ApiError } from '../../../../../runtime/errors.ts'

function fieldOf(rule: FirewallPolicyRuleUpdate): string {
  try {
    requireRuleForm(rule)
    return 'none'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error).toMatchObject({ reason: 'FIREWALL_RULE_INVALID', rpc: 'INVALID_ARGUMENT', code: 3_004_004 })
    return error.details.badRequest?.map(({ field }) => field).join(', ') ?? 'no field'
  }
}

const tcpPorts = (...ports: string[]): ProtocolMatchInput => ({ protocol: 'NETWORK_PROTOCOL_TCP', ports })

describe('the form of a rule', () => {
  const matches: readonly (readonly [ProtocolMatchInput, string])[] = [
    [tcpPorts(), 'none'],
    [tcpPorts('1', '65535', '1-65535', '443-443'), 'none'],
    [{ protocol: 'NETWORK_PROTOCOL_UDP', ports: ['53'] }, 'none'],
    [{ protocol: 'NETWORK_PROTOCOL_ICMP', icmp_type: 255 }, 'none'],
    [{ protocol: 'NETWORK_PROTOCOL_ANY' }, 'none'],
    [tcpPorts('0'), 'rule.protocols[1].ports[0]'],
    [tcpPorts('443', '65536'), 'rule.protocols[1].ports[1]'],
    [tcpPorts('0-80'), 'rule.protocols[1].ports[0]'],
    [tcpPorts('80-99999'), 'rule.protocols[1].ports[0]'],
    [tcpPorts('81-80'), 'rule.protocols[1].ports[0]'],
    [{ protocol: 'NETWORK_PROTOCOL_ANY', ports: ['80'] }, 'rule.protocols[1].ports'],
    [{ protocol: 'NETWORK_PROTOCOL_ICMP', ports: ['80'] }, 'rule.protocols[1].ports'],
    [{ protocol: 'NETWORK_PROTOCOL_TCP', icmp_type: 0 }, 'rule.protocols[1].icmp_type'],
    [{ protocol: 'NETWORK_PROTOCOL_ANY', icmp_type: 8 }, 'rule.protocols[1].icmp_type'],
  ]

  it.each(matches)('with the protocol %j has the fault at: %s', (match, field) => {
    expect(fieldOf({ protocols: [tcpPorts('22'), match] })).toBe(field)
  })

  const ranges: readonly (readonly [readonly string[], string])[] = [
    [['0.0.0.0/0', '10.0.0.0/8', '255.255.255.255/32'], 'none'],
    [['10.0.0.0/8', '10.0.0.5/24'], 'rule.peers.ranges[1]'],
    [['128.0.0.0/0'], 'rule.peers.ranges[0]'],
  ]

  it.each(ranges)('with the peers %j has the fault at: %s', (given, field) => {
    expect(fieldOf({ peers: { ranges: [...given] } })).toBe(field)
  })

  it('is checked for the given members only', () => {
    expect(fieldOf({})).toBe('none')
  })
})
