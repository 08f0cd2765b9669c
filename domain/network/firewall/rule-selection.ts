import type {
  FirewallAction,
  FirewallDirectionInput,
  FirewallPolicyRule,
  LogicalPort,
} from '../../../output/network/types.ts'

/** The members of a logical port by which rules select the port. */
export type SelectedPort = Pick<LogicalPort, 'ip_address' | 'labels' | 'subnet_id'>

/** A policy with its rules, in any order. */
export interface PolicyWithRules {
  readonly id: string
  readonly priority: number
  readonly enabled: boolean
  readonly rules: readonly FirewallPolicyRule[]
}

/** An enabled rule of an enabled policy. */
export interface OrderedRule {
  readonly policy: PolicyWithRules
  readonly rule: FirewallPolicyRule
}

/** Returns the enabled rules of the enabled policies in the order of evaluation (network.md 4). */
export function inOrder(policies: readonly PolicyWithRules[]): readonly OrderedRule[] {
  return policies
    .filter(({ enabled }) => enabled)
    .toSorted((one, other) => one.priority - other.priority)
    .flatMap(policy =>
      policy.rules
        .filter(({ enabled }) => enabled)
        .toSorted((one, other) => one.priority - other.priority)
        .map(rule => ({ policy, rule })),
    )
}

/**
 * Returns whether a rule applies to a port: the port must lie in one of the target subnets, if the rule names any, and
 * must have all target labels. A rule without targets applies to every port.
 */
export function isTarget({ targets }: Pick<FirewallPolicyRule, 'targets'>, port: SelectedPort): boolean {
  if (targets === undefined) return true
  const { subnet_ids, vm_labels } = targets
  return (subnet_ids.length === 0 || subnet_ids.includes(port.subnet_id)) && carries(port, vm_labels)
}

/** Returns whether a rule matches every peer, because it names no ranges, subnets or labels. */
export const isAnybody = ({ peers }: Pick<FirewallPolicyRule, 'peers'>): boolean =>
  peers === undefined ||
  (peers.ranges.length === 0 && peers.subnet_ids.length === 0 && Object.keys(peers.vm_labels).length === 0)

/** Returns whether a port has all of the wanted labels. */
export const carries = ({ labels }: SelectedPort, wanted: SelectedPort['labels']): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)

/** The actions for packets that no rule matches, keyed by direction. */
export const impliedActions: Readonly<Record<FirewallDirectionInput, FirewallAction>> = {
  NETWORK_FIREWALL_DIRECTION_INGRESS: 'NETWORK_FIREWALL_ACTION_DENY',
  NETWORK_FIREWALL_DIRECTION_EGRESS: 'NETWORK_FIREWALL_ACTION_ALLOW',
}
