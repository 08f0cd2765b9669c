import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guestProcesses } from '../../../../server/compute/qemu/processes.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuBody, qemuTenant } from './qemu-zone.ts'

describe.skipIf(lacksQemu)('a zone of QEMU', () => {
  it('scenario 1: a new machine has its address at once, and runs after a boot', async () => {
    const { api, create, ended, folder, get, platform, subnet, workspace } = await qemuTenant()
    const target = await api.topology.getDeploymentTarget({ id: 'host' })
    expect(target).toMatchObject({ state_message: expect.stringMatching(/^guests run by (?:kvm|tcg)/) })
    const operation = await create('web-1', {
      ...qemuBody,
      cpu: { count: 2 },
      network_interfaces: [{ subnet_id: subnet }],
    })
    const { resource_id: id } = operation
    expect((await get(id)).network_interfaces).toMatchObject([{ ip_address: '10.20.1.2', name: 'nic0' }])
    expect(await ended(operation)).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', progress: 100 })
    expect(await get(id)).toMatchObject({
      status: 'NATIVE_VM_STATUS_RUNNING',
      boot_count: 1,
      boot_disk: { image: 'tiny', size_gib: 1 },
      resource_pool: 'host-pool',
    })
    expect(guestProcesses(folder)).toHaveLength(1)
    expect(await doctorFindings(platform.config)).toEqual([])
    const files = readdirSync(join(folder, id))
    // Only the owner of the server reads the files of a tenant.
    expect(files.filter(name => (statSync(join(folder, id, name)).mode & 0o077) !== 0)).toEqual([])
    expect(statSync(join(folder, id)).mode & 0o777).toBe(0o700)
    await ended(await api.compute.deleteVm({ workspace, id }))
    expect(guestProcesses(folder)).toEqual([])
    expect(existsSync(join(folder, id))).toBe(false)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('scenario 5: a guest without an operating system is powered off, with a warning', async () => {
    const { api, created, ended, get, workspace } = await qemuTenant()
    const { id } = await created('deaf', { ...qemuBody, boot_disk: { image: 'blank' } })
    const stop = await api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 1 } })
    expect(await ended(stop)).toMatchObject({
      status: 'COMPUTE_OPERATION_STATUS_DONE',
      warnings: [{ code: 1001090, description: 'The guest did not shut down in 1 s and was powered off' }],
    })
    expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_STOPPED' })
  })

  it('scenario 6: a resumed machine goes on, a reset machine boots, and a saved state is not lost by mistake', async () => {
    const { api, created, ended, get, platform, subnet, workspace } = await qemuTenant()
    const node = { vcpus: 1, memory_mib: 128 }
    const { id, network_interfaces } = await created('web-1', {
      ...qemuBody,
      cpu: { count: 2 },
      memory_mib: 256,
      numa: { nodes: [node, node] },
      network_interfaces: [{ subnet_id: subnet }],
    })
    const call = { workspace, id, body: {} }
    const done = { status: 'COMPUTE_OPERATION_STATUS_DONE' }
    expect(await ended(await api.compute.suspendVm(call))).toMatchObject(done)
    expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_SUSPENDED' })
    expect(await doctorFindings(platform.config)).toEqual([])
    expect(await ended(await api.compute.resumeVm(call))).toMatchObject(done)
    const running = { status: 'NATIVE_VM_STATUS_RUNNING' }
    expect(await get(id)).toMatchObject({ ...running, boot_count: 1, network_interfaces })
    expect(await ended(await api.compute.resetVm(call))).toMatchObject(done)
    expect(await ended(await api.compute.restartVm(call))).toMatchObject({ ...done, warnings: [] })
    expect(await get(id)).toMatchObject({ ...running, boot_count: 3 })
    const grow = { ...call, update_mask: 'boot_disk.size_gib', body: { boot_disk: { size_gib: 2 } } }
    expect(await ended(await api.compute.updateVm(grow))).toMatchObject(done)
    expect(await ended(await api.compute.suspendVm(call))).toMatchObject(done)
    await expect(api.compute.stopVm(call)).rejects.toMatchObject({ reason: 'VM_SAVED_STATE_EXISTS' })
    const discard = { ...call, body: { discard_saved_state: true } }
    expect(await ended(await api.compute.stopVm(discard))).toMatchObject(done)
    expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_STOPPED' })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('leaves no process and no file of a deleted workspace', async () => {
    const { api, created, folder, organisation, platform, subnet, workspace } = await qemuTenant()
    await created('runs', { ...qemuBody, network_interfaces: [{ subnet_id: subnet }] })
    const { id } = await created('saved', qemuBody)
    const { taxonomy } = api
    expect(await api.compute.waitOperation(await api.compute.suspendVm({ workspace, id, body: {} }))).toMatchObject({
      status: 'COMPUTE_OPERATION_STATUS_DONE',
    })
    const node = { organisation, id: workspace }
    await taxonomy.waitOperation(await taxonomy.archiveWorkspace({ ...node, body: {} }))
    await taxonomy.waitOperation(await taxonomy.deleteWorkspace({ ...node, force: true }))
    await expect.poll(() => readdirSync(folder)).toEqual(['images'])
    expect(guestProcesses(folder)).toEqual([])
    await expect.poll(() => doctorFindings(platform.config)).toEqual([])
  })
})
