import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bootSector } from '../../../../server/compute/qemu/boot-sector.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { bootBucket, qcow2File } from '../../../domain/compute/boot-bucket.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuBody, qemuTenant } from './qemu-zone.ts'

describe.skipIf(lacksQemu)('a machine of QEMU from an object', () => {
  it('boots the bytes of the object, which goes with the machine', async () => {
    const tenant = await qemuTenant()
    const { api, created, ended, folder, get, platform, workspace } = tenant
    const { disk, remove, upload } = await bootBucket(tenant)
    const content = new Uint8Array(bootSector())
    await upload('tiny.raw', content)
    const { id, ...vm } = await created('web-1', { ...qemuBody, boot_disk: disk('tiny.raw') })
    expect(vm).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_disk: { size_gib: 1 } })
    const copy = join(folder, id, 'source.img')
    expect(readFileSync(copy).equals(content)).toBe(true)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    await remove('tiny.raw')
    // A guest that boots from the bytes of the object obeys the power button; any other guest is powered off.
    const stopped = await ended(await api.compute.stopVm({ workspace, id, body: {} }))
    expect(stopped).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', warnings: [] })
    await ended(await api.compute.startVm({ workspace, id, body: {} }))
    expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 2 })
    expect(await doctorFindings(platform.config)).toEqual([])
    await ended(await api.compute.deleteVm({ workspace, id }))
    expect(existsSync(join(folder, id))).toBe(false)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('fails if the object is no disk that QEMU can open, and is then deleted', async () => {
    const tenant = await qemuTenant()
    const { api, create, ended, folder, platform, workspace } = tenant
    const { disk, upload } = await bootBucket(tenant)
    // The header is sound, and its table lies within the file, but the file lacks the rest of a disk.
    await upload('broken.qcow2', qcow2File())
    const operation = await create('web-1', { ...qemuBody, boot_disk: disk('broken.qcow2') })
    expect(await ended(operation)).toMatchObject({ errors: [{ reason: 'VM_PROVISION_FAILED' }] })
    await ended(await api.compute.deleteVm({ workspace, id: operation.resource_id }))
    expect(existsSync(join(folder, operation.resource_id))).toBe(false)
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
