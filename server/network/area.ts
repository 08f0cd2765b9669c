import { network } from '../../domain/network/area.ts'
import { networkFunctions } from '../../domain/network/functions.ts'
import { networkArea as generated } from '../../output/network/area.ts'
import { area, type AreaModule } from '../area.ts'

/** Returns the area of VPCs, subnets, logical ports and firewall policies, with the switch between the ports. */
export const networkArea = (): AreaModule =>
  area({
    generated,
    ...network,
    provides: parts => ({ network: networkFunctions(parts, { attach() {}, detach() {} }) }),
  })
