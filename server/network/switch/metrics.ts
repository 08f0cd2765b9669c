import { dropReasons } from '../../../domain/network/packets/packet-counts.ts'
import type { Metric } from '../../health/metrics.ts'
import type { PortSwitch } from './port-switch.ts'

/** Returns the metrics of the switch of a server. */
export const switchMetrics = (
  ports: Pick<PortSwitch, 'totals' | 'connectedPorts' | 'connections'>,
): readonly Metric[] => {
  const count = (name: 'received' | 'delivered' | 'answered', help: string): Metric => ({
    kind: 'counter',
    name: `ninefold_network_frames_${name}_total`,
    help,
    read: () => [{ labels: {}, value: ports.totals.get(name) }],
  })
  return [
    count('received', 'Frames that machines have sent.'),
    count('delivered', 'Frames of machines that have reached a machine.'),
    count('answered', 'Frames that the switch has answered itself: ARP, DHCP, DNS and pings of gateways.'),
    {
      kind: 'counter',
      name: 'ninefold_network_frames_dropped_total',
      help: 'Frames of machines that were dropped, by reason.',
      labels: ['reason'],
      read: () => dropReasons.map(reason => ({ labels: { reason }, value: ports.totals.get(reason) })),
    },
    {
      kind: 'gauge',
      name: 'ninefold_network_ports_connected',
      help: 'Logical ports whose machine is connected with the switch of this server.',
      read: () => ports.connectedPorts,
    },
    {
      kind: 'gauge',
      name: 'ninefold_network_connections',
      help: 'Connections in the table of the firewall.',
      read: () => ports.connections,
    },
  ]
}
