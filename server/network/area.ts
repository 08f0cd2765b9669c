import { network } from '../../domain/network/area.ts'
import { networkFunctions } from '../../domain/network/functions.ts'
import { networkArea as generated } from '../../output/network/area.ts'
import { area, type AreaModule } from '../area.ts'
import { networkSettings } from './settings.ts'
import { switchMetrics } from './switch/metrics.ts'
import { PortSwitch } from './switch/port-switch.ts'

/** Returns the area of VPCs, subnets, logical ports and firewall policies, with the switch between the ports. */
export const networkArea = (): AreaModule =>
  area({
    generated,
    ...network,
    settings: networkSettings,
    provides(parts) {
      const { log, settings, store } = parts
      const limits = {
        connections: settings['network.max_connections'],
        connectionsPerPort: settings['network.max_connections_per_port'],
      }
      const wires = new PortSwitch({ store, log, limits })
      parts.expose(switchMetrics(wires))
      parts.atEnd(() => wires.end())
      return { network: networkFunctions(parts, wires) }
    },
  })
