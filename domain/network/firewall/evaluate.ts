import type { FirewallDirectionInput } from '../../../output/network/types.ts'
import type { CompiledPolicies, RuleVerdict } from './compile.ts'
import type { PacketProtocol } from './port-ranges.ts'
import type { SelectedPort } from './rule-selection.ts'

/** The first packet of a connection of a port. */
export interface Packet {
  /** The direction of the packet: INGRESS to the port, or EGRESS from the port. */
  readonly direction: FirewallDirectionInput
  /** The address of the other end, as an unsigned 32-bit integer. */
  readonly peer: number
  readonly protocol: PacketProtocol
  /** The destination port of TCP and UDP, the type of ICMP, 0 for other protocols. */
  readonly selector: number
}

/**
 * Returns the decision about a new connection of a port (network.md 4): the verdict of the first rule that matches, in
 * the order of the policies and then of their rules, or else of the implied rule, which denies ingress and allows
 * egress. The caller handles replies of an allowed connection, ARP, DHCP, and DNS to the resolver, and checks that the
 * port sends from its own address.
 */
export const evaluate = (policies: CompiledPolicies, port: SelectedPort, packet: Packet): RuleVerdict =>
  policies[packet.direction].match(port, packet.peer, packet.protocol, packet.selector)
