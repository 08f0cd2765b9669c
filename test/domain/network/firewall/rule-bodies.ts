import type { FirewallPolicyRuleInput, ProtocolInput } from '../../../../output/network/types.ts'

/** Returns the body of a rule that allows ingress of a protocol. */
export const allow = (
  name: string,
  priority: number,
  protocol: ProtocolInput,
  ports: string[] = [],
): FirewallPolicyRuleInput => ({
  name,
  priority,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol, ports }],
})

/** Returns the body of a rule that allows SSH from any address. */
export const tcp = (name: string, priority: number): FirewallPolicyRuleInput =>
  allow(name, priority, 'NETWORK_PROTOCOL_TCP', ['22'])
