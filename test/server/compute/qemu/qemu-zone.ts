import { join } from 'node:path'
import { realpathSync } from 'node:fs'
import type { VmInput } from '../../../../output/compute/types.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { tenantVms, type TenantVms } from '../../../domain/compute/tenant-vms.ts'
import { endGuestsOf } from './qemu-subject.ts'

/** The body of a small machine in the zone of `addQemuZone`. */
export const qemuBody = {
  zone: 'host-a',
  cpu: { count: 1 },
  memory_mib: 128,
  boot_disk: { image: 'tiny' },
} as const satisfies Partial<VmInput>

/** Creates the zone `host-a` in the region `local1`, with a pool on a target of QEMU. */
export async function addQemuZone({ topology }: Pick<Ninefold, 'topology'>): Promise<void> {
  const capacity = { vcpus: 64, memory_mib: 65_536, disk_gib: 1024 }
  const node = { vcpus: 32, memory_mib: 32_768 }
  const numa_nodes = [node, node]
  await topology.registerDeploymentTarget({
    body: {
      name: 'host',
      location: 'host',
      driver: 'TOPOLOGY_DRIVER_QEMU',
      capacity,
      numa_nodes,
    },
  })
  await topology.approveLocation({ id: 'host', body: { region: 'local1' } })
  await topology.createZone({ body: { name: 'host-a', location: 'host' } })
  await topology.createResourcePool({
    body: { name: 'host-pool', zone: 'host-a', deployment_target: 'host', capacity, numa_nodes },
  })
}

/** A tenant on a platform with a zone of QEMU, and the folder of its machines. Guests end with the test. */
export async function qemuTenant(
  options: Parameters<typeof tenantVms>[1] = {},
): Promise<TenantVms & { readonly folder: string }> {
  const tenant = await tenantVms(0, options)
  const folder = join(realpathSync(tenant.platform.config.dataDir), 'compute')
  endGuestsOf(folder)
  await addQemuZone(tenant.api)
  return { ...tenant, folder }
}
