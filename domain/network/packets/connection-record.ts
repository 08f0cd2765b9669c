import type { FirewallAction, FirewallDirectionInput } from '../../../output/network/types.ts'
import type { PacketProtocol } from '../firewall/port-ranges.ts'

/**
 * A new connection that a rule with `log` has matched (network.md 1). A denied connection is recorded for each denied
 * packet.
 */
export interface ConnectionRecord {
  readonly rule_id: string
  /** The id of the port for which the rule was evaluated. */
  readonly port_id: string
  readonly vpc_id: string
  readonly direction: FirewallDirectionInput
  readonly action: FirewallAction
  readonly protocol: PacketProtocol
  /** The addresses of the packet as signed 32-bit integers. */
  readonly source: number
  readonly destination: number
  /** The ports of TCP and UDP; 0 for other protocols. */
  readonly source_port: number
  readonly destination_port: number
}
