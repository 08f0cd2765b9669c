import type {
  FirewallAction,
  FirewallDirectionInput,
  FirewallPolicyRule,
  LogicalPort,
} from '../../../output/network/types.ts'

/** The facts of a logical port by which rules select it. */
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

/** Whether the targets of a rule hold for a port: all members that are given must hold. */
export function isTarget({ targets }: Pick<FirewallPolicyRule, 'targets'>, port: SelectedPort): boolean {
  if (targets === undefined) return true
  const { subnet_ids, vm_labels } = targets
  return (subnet_ids.length === 0 || subnet_ids.includes(port.subnet_id)) && carries(port, vm_labels)
}

/** Whether the peers of a rule are anybody: no member is given. */
export const isAnybody = ({ peers }: Pick<FirewallPolicyRule, 'peers'>): boolean =>
  peers === undefined ||
  (peers.ranges.length === 0 && peers.subnet_ids.length === 0 && Object.keys(peers.vm_labels).length === 0)

/** Whether a port carries all of some labels. */
export const carries = ({ labels }: SelectedPort, wanted: SelectedPort['labels']): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)

/** The actions for packets that no rule matches, by direction. */
export const impliedActions: Readonly<Record<FirewallDirectionInput, FirewallAction>> = {
  NETWORK_FIREWALL_DIRECTION_INGRESS: 'NETWORK_FIREWALL_ACTION_DENY',
  NETWORK_FIREWALL_DIRECTION_EGRESS: 'NETWORK_FIREWALL_ACTION_ALLOW',
}
