import { firewallRuleInvalid } from '../../../output/network/errors.ts'
import type { FirewallPolicyRuleUpdate, ProtocolMatchInput } from '../../../output/network/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { parseBlock } from '../../addresses/ipv4.ts'
import { parsePorts } from './port-ranges.ts'

/**
 * Checks the rules about the form of a firewall rule that its schema cannot state (conventions §4, step 5). Throws
 * FIREWALL_RULE_INVALID at the first fault, at its field: `rule.protocols[0].ports[1]`.
 */
export function requireRuleForm({ peers, protocols = [] }: FirewallPolicyRuleUpdate): void {
  for (const [i, match] of protocols.entries()) requireMatch(match, `rule.protocols[${i}]`)
  for (const [i, text] of (peers?.ranges ?? []).entries()) {
    if (parseBlock(text)?.isCanonical === true) continue
    throw ruleInvalid(`${text} has host bits; name the first address of the block`, `rule.peers.ranges[${i}]`)
  }
}

/** Returns the error FIREWALL_RULE_INVALID with a violation at a field. */
export const ruleInvalid = (message: string, field: string): Error => faultAt(firewallRuleInvalid, field, message)

function requireMatch({ icmp_type, ports = [], protocol }: ProtocolMatchInput, at: string): void {
  const hasPorts = protocol === 'NETWORK_PROTOCOL_TCP' || protocol === 'NETWORK_PROTOCOL_UDP'
  if (ports.length > 0 && !hasPorts) throw ruleInvalid('only TCP and UDP have ports', `${at}.ports`)
  if (icmp_type !== undefined && protocol !== 'NETWORK_PROTOCOL_ICMP')
    throw ruleInvalid('only ICMP has an ICMP type', `${at}.icmp_type`)
  for (const [i, text] of ports.entries()) {
    const fault = portsFault(text)
    if (fault !== undefined) throw ruleInvalid(`ports ${text} ${fault}`, `${at}.ports[${i}]`)
  }
}

function portsFault(text: string): string | undefined {
  const { first, last } = parsePorts(text)
  if (first < 1 || last < 1 || first > 65_535 || last > 65_535) return 'must be from 1 to 65535'
  return first > last ? 'must not end before they start' : undefined
}
