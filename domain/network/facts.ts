import type { AreaFacts } from '../ports/inspection.ts'
import { portCollection } from './ports/ports-store.ts'

/** The facts of network for the checkers of other areas. */
export const networkFacts: AreaFacts['network'] = {
  async *ports(reader, vm) {
    const where = vm === undefined ? {} : { 'attachment.resource_id': vm }
    for await (const { id, value } of reader.each(portCollection, where)) {
      const { attachment, ip_address, state } = value
      yield { id, vm: attachment.resource_id, ip_address, isUp: state === 'NETWORK_LOGICAL_PORT_STATE_UP' }
    }
  },
}
