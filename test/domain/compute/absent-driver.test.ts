import { expect, it } from 'vitest'
import { simulatedProbe } from '../../../domain/topology/probes/driver-probe.ts'
import { areas } from '../../../server/areas.ts'
import { computeArea } from '../../../server/compute/area.ts'
import { topologyArea } from '../../../server/topology/area.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { tenantVms } from './tenant-vms.ts'

/** The area of topology, whose probes say that both drivers run. */
const probed = topologyArea({
  TOPOLOGY_DRIVER_SIMULATED: simulatedProbe,
  TOPOLOGY_DRIVER_QEMU: simulatedProbe,
})

it('a machine of a driver that the server lacks cannot be made, and can be deleted', async () => {
  const replaced = [probed, computeArea(undefined, () => ({}))]
  const mounted = areas.map(area => replaced.find(({ domain }) => domain.name === area.domain.name) ?? area)
  const { api, create, ended, get, platform, workspace } = await tenantVms(0, { areas: mounted })
  const capacity = { vcpus: 8, memory_mib: 8192, disk_gib: 100 }
  const target = { name: 'real', location: 'real', driver: 'TOPOLOGY_DRIVER_QEMU', capacity } as const
  await api.topology.registerDeploymentTarget({ body: target })
  await api.topology.approveLocation({ id: 'real', body: { region: 'real' } })
  await api.topology.createZone({ body: { name: 'real-a', location: 'real' } })
  const pool = { name: 'real-pool', zone: 'real-a', deployment_target: 'real', capacity }
  await api.topology.createResourcePool({ body: pool })
  const operation = await create('real-1', { zone: 'real-a' })
  expect(await ended(operation)).toMatchObject({
    errors: [{ reason: 'VM_PROVISION_FAILED', description: 'this server has no driver QEMU' }],
  })
  const id = operation.resource_id
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_ERROR', resource_pool: 'real-pool' })
  await ended(await api.compute.deleteVm({ workspace, id }))
  await expect(get(id)).rejects.toMatchObject({ reason: 'VM_NOT_FOUND' })
  expect(await doctorFindings(platform.config, mounted)).toEqual([])
})
