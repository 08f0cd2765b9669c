import { proveDocument } from '../documented.ts'

/** The example rule of the document without its subnets, because the VPC of the test has no subnets. */
const rule = {
  name: 'allow-https',
  priority: 200,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_TCP', ports: ['443', '8000-8100'] }],
  peers: { ranges: ['0.0.0.0/0'] },
  targets: { vm_labels: { role: 'web' } },
}

await proveDocument('network', {
  addFirewallPolicyRule: () => ({ rule }),
  updateFirewallPolicyRule: async (_, make) => ({ rule_id: await make('addFirewallPolicyRule') }),
  removeFirewallPolicyRule: async (_, make) => ({ rule_id: await make('addFirewallPolicyRule') }),
})
