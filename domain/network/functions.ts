import { formatMillis } from '../../runtime/timestamps.ts'
import { canonical } from '../../runtime/validation.ts'
import type { Network, PortWires } from '../ports/network.ts'
import type { Transaction } from '../ports/store.ts'
import { createPort, type PortParts } from './ports/create-port.ts'
import { portCollection, type StoredPort } from './ports/ports-store.ts'
import { releasePort } from './ports/release-port.ts'
import { subnetCollection } from './subnets/subnets-store.ts'

/** Returns the functions of network for other areas. */
export function networkFunctions(parts: PortParts, wires: PortWires): Network {
  /** Changes members of a port, and its `update_time` if a value differs. Does nothing if the port does not exist. */
  const change = async (tx: Transaction, id: string, members: Partial<StoredPort>): Promise<void> => {
    const port = await tx.lock(portCollection, id)
    if (!port) return
    const next = { ...port.value, ...members }
    if (canonical(next) === canonical(port.value)) return
    await tx.update(portCollection, id, { ...next, update_time: formatMillis(parts.clock.now()) }, port.version)
  }
  return {
    wires,
    async requireSubnet(tx, workspace, subnetId) {
      const subnet = (await tx.lock(subnetCollection, subnetId))?.value
      if (subnet?.workspace_id !== workspace) return undefined
      const { id, region, vpc_id } = subnet
      return { id, region, vpc_id }
    },
    createPort: (tx, request) => createPort(parts, tx, request),
    releasePort,
    setPortState: (tx, portId, state) => change(tx, portId, { state: `NETWORK_LOGICAL_PORT_STATE_${state}` }),
    async setPortLabels(tx, vmId, labels) {
      for await (const { id } of tx.each(portCollection, { 'attachment.resource_id': vmId }))
        await change(tx, id, { labels: { ...labels } })
    },
  }
}
