import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { PortWires } from '../../../../domain/ports/network.ts'
import type { AreaModule } from '../../../../server/area.ts'
import type { PlatformServices } from '../../../../server/area-parts.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { areasWithMachines } from '../../../domain/network/machines/machine-area.ts'
import { callsOf, type TenantNetwork } from '../../../domain/network/machines/tenant-network.ts'
import { testFolder, type Later } from '../../store/harness.ts'
import { GuestSocket } from './guest-socket.ts'

/** A machine with its port and its network device. */
export interface Guest {
  readonly port: string
  readonly ip: string
  readonly mac: string
  readonly socket: GuestSocket
  readonly path: string
}

/** A platform with a tenant whose machines are attached to the switch of the server. */
export interface SwitchedNetwork extends TenantNetwork {
  readonly wires: PortWires
  /** A folder for the sockets of machines. */
  readonly folder: string
  /** Creates a machine on a subnet, attaches its port and waits for the connection. */
  guest(name: string, subnet: string): Promise<Guest>
  /** Returns the value of a series of `/metrics`, for example `ninefold_network_connections`. */
  metric(series: string): Promise<number>
}

/** Returns areas, and a function that returns the wires of the last platform with these areas. */
export function areasWithWires(): { readonly areas: readonly AreaModule[]; readonly wires: () => PortWires } {
  let services: PlatformServices | undefined
  const areas = areasWithMachines.map(area => ({
    ...area,
    mount(parts: PlatformServices) {
      services = parts
      return area.mount(parts)
    },
  }))
  return {
    areas,
    wires() {
      if (services === undefined) throw new Error('no platform is open')
      return services.functions.require('network').wires
    },
  }
}

/** Returns the value of a series in the metrics of a platform. */
export async function metricOf(platform: TestPlatform, series: string): Promise<number> {
  const answer = await platform.from('127.0.0.1')(`${platform.config.baseUrl ?? ''}/metrics`)
  const line = (await answer.text()).split('\n').find(text => text.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? Number.NaN)
}

/** Opens a platform with a tenant; `later` closes the platform. */
export async function switchedNetwork(later: Later = onTestFinished): Promise<SwitchedNetwork> {
  const { areas, wires } = areasWithWires()
  const platform = await testPlatform({ later, areas })
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const calls = callsOf(api, workspace)
  const folder = testFolder(later)
  return {
    platform,
    organisation,
    ...calls,
    wires: wires(),
    folder,
    metric: series => metricOf(platform, series),
    async guest(name, subnet) {
      const { id, ip_address: ip, mac_address: mac } = await calls.portOf(await calls.machine(name, subnet))
      const path = join(folder, `${name}.sock`)
      const socket = await GuestSocket.listen(path)
      later(() => socket.close())
      wires().attach(id, path)
      await expect.poll(() => socket.isConnected).toBe(true)
      return { port: id, ip, mac, socket, path }
    },
  }
}
