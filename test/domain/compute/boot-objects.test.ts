import { closeSync, openSync, readdirSync, readSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BootBytes, Driver, DriverCall } from '../../../domain/compute/drivers/driver.ts'
import { BootContentFault } from '../../../domain/compute/images/boot-content.ts'
import { bootSources } from '../../../domain/compute/images/boot-sources-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { computeArea } from '../../../server/compute/area.ts'
import { diskFolderOf, fileNameOf } from '../../../server/compute/disk-folder.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId, addMember, addTenant, roleAt } from '../../areas/members.ts'
import { bootBucket, qcow2File } from './boot-bucket.ts'
import { tenantVms, tinyBody, vmCalls, type TenantVms } from './tenant-vms.ts'

const failedProvision = { reason: 'VM_PROVISION_FAILED', code: 1_001_030 }

const unmet = (field: string, text: string) => ({
  reason: 'VM_IMAGE_REQUIREMENT_UNMET',
  rpc: 'INVALID_ARGUMENT',
  code: 1_001_013,
  message: expect.stringContaining(text),
  details: { badRequest: [{ field }] },
})

/** Bytes that repeat after an odd number, so that no block equals another block. */
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31) % 251)

/** Whether the boot disk of a simulated machine begins with a content; always true for a store that keeps no files. */
function beginsWith({ platform }: TenantVms, vm: string, content: Uint8Array): boolean {
  const { dataDir, storeUrl } = platform.config
  if (storeUrl !== undefined) return true
  const bytes = Buffer.alloc(content.length)
  const file = openSync(join(diskFolderOf(dataDir), vm, fileNameOf('')), 'r')
  readSync(file, bytes, 0, bytes.length, 0)
  closeSync(file)
  return bytes.equals(content)
}

/** Starts a tenant whose simulated driver calls `provision` in place of the creation of disks. */
const withProvision = (provision: (driver: Driver, call: DriverCall) => ReturnType<Driver['provision']>) => {
  const wrapped = computeArea(
    driver =>
      new Proxy(driver, {
        get: (of, name) => (name === 'provision' ? (call: DriverCall) => provision(of, call) : Reflect.get(of, name)),
      }),
  )
  return tenantVms(0, { areas: areas.map(area => (area.domain.name === 'compute' ? wrapped : area)) })
}

describe('a boot disk from an object', () => {
  it('has the bytes of the object, and does not need the object again', async () => {
    const tenant = await tenantVms()
    const { api, created, ended, get, platform, workspace } = tenant
    const { disk, remove, upload } = await bootBucket(tenant)
    const content = bytesOf(3_000_001)
    await upload('images/disk.raw', content)
    const { id, ...vm } = await created('web-1', { boot_disk: disk('images/disk.raw') })
    expect(vm).toMatchObject({
      status: 'NATIVE_VM_STATUS_RUNNING',
      boot_disk: { image: '', ...disk('images/disk.raw'), size_gib: 1 },
    })
    expect(beginsWith(tenant, id, content)).toBe(true)
    expect(await doctorFindings(platform.config)).toEqual([])
    await remove('images/disk.raw')
    await ended(await api.compute.stopVm({ workspace, id, body: {} }))
    await ended(await api.compute.startVm({ workspace, id, body: {} }))
    expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 2 })
    expect(beginsWith(tenant, id, content)).toBe(true)
    expect(await doctorFindings(platform.config)).toEqual([])
    await ended(await api.compute.deleteVm({ workspace, id }))
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('has a recorded version, of which the doctor tells every difference', async () => {
    const tenant = await tenantVms()
    const { created, platform } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    const { id } = await created('from-object', { boot_disk: disk('disk') })
    const { id: other } = await created('from-image')
    const store = await openBeside(platform.config, storeCollections(areas))
    await store.tx(async tx => {
      const stored = await tx.get(bootSources, id)
      if (stored) await tx.delete(bootSources, id, stored.version)
      for (const vm_id of [other, absentId]) await tx.insert(bootSources, { vm_id, version_id: absentId })
    })
    await store.close()
    const found = (await doctorFindings(platform.config)).join('\n')
    expect(found).toContain(`${id}: has a boot disk from a content that is not recorded`)
    expect(found).toContain(`${other}: needs no content, but one is recorded`)
    expect(found).toContain(`${absentId}: does not exist, but the version of its boot disk is recorded`)
  })

  it('goes with its workspace', async () => {
    const tenant = await tenantVms()
    const { api, created, organisation, platform, workspace } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    await created('web-1', { boot_disk: disk('disk') })
    await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
    const { taxonomy } = api
    await taxonomy.waitOperation(await taxonomy.deleteWorkspace({ organisation, id: workspace, force: true }))
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('has the size of a qcow2 disk, rounded up, and no smaller size', async () => {
    const tenant = await tenantVms()
    const { create, created, list } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk.qcow2', qcow2File({ virtualBytes: 3n * 2n ** 30n + 1n }))
    expect(await created('own', { boot_disk: disk('disk.qcow2') })).toMatchObject({ boot_disk: { size_gib: 4 } })
    expect(await created('more', { boot_disk: { ...disk('disk.qcow2'), size_gib: 5 } })).toMatchObject({
      status: 'NATIVE_VM_STATUS_RUNNING',
      boot_disk: { size_gib: 5 },
    })
    await expect(create('less', { boot_disk: { ...disk('disk.qcow2'), size_gib: 3 } })).rejects.toMatchObject(
      unmet('boot_disk.size_gib', 'needs a boot disk of 4 GiB; 3 are given'),
    )
    expect(await list('')).toEqual(['more', 'own'])
  })

  it.each([
    ['without bytes', new Uint8Array(), 'is an empty disk'],
    ['of qcow2 with a backing file', qcow2File({ backingFile: 104n }), 'needs other files'],
    ['of qcow2 with a data file', qcow2File({ hasDataFile: true }), 'needs other files'],
    ['of qcow2 that is encrypted', qcow2File({ isEncrypted: true }), 'is encrypted'],
    ['of qcow2 that is cut off', qcow2File({ tableEntries: 1000 }), 'is a truncated qcow2 file'],
    ['with a cut header of qcow2', qcow2File().slice(0, 40), 'is a truncated qcow2 file'],
    ['of qcow2 without a size', qcow2File({ virtualBytes: 0n }), 'is an empty disk'],
    ['larger than every disk', qcow2File({ virtualBytes: 2n ** 63n }), 'more than 65536 GiB'],
  ])('from an object %s is refused', async (_, content, text) => {
    const tenant = await tenantVms()
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', content)
    await expect(tenant.create('a', { boot_disk: disk('disk') })).rejects.toMatchObject(
      unmet('boot_disk.source_object', text),
    )
    expect(await tenant.list('')).toEqual([])
  })

  it('from an absent object, a deleted object and an object of another workspace is refused', async () => {
    const tenant = await tenantVms()
    const { api, create } = tenant
    const { at, disk, remove, upload } = await bootBucket(tenant, { versioning: 'STORAGE_VERSIONING_ENABLED' })
    const other = await addTenant(api, 'other')
    const foreign = await bootBucket({ ...tenant, workspace: other.workspace })
    await upload('deleted', bytesOf(10))
    await remove('deleted')
    await foreign.upload('disk', bytesOf(10))
    const sources = [
      disk('absent'),
      disk('deleted'),
      disk('../disk'),
      foreign.disk('disk'),
      { source_object: { bucket_id: absentId, object: 'disk' } },
    ]
    for (const boot_disk of sources)
      await expect(create('a', { boot_disk }), JSON.stringify(boot_disk)).rejects.toMatchObject({
        reason: 'VM_IMAGE_NOT_FOUND',
        rpc: 'INVALID_ARGUMENT',
        code: 1_001_012,
        details: { badRequest: [{ field: 'boot_disk' }], resource: { type: 'storage.objects' } },
      })
    expect(at.workspace).not.toBe(foreign.at.workspace)
  })

  it('needs storage.objects.download of the caller', async () => {
    const tenant = await tenantVms()
    const { api, organisation, platform, workspace } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    const permissions = ['compute.vms.create', 'compute.vms.get', 'storage.objects.get']
    const body = { name: 'maker', scope_type: 'ORGANISATION', scope_id: organisation, permissions } as const
    const { resource_id } = await api.iam.createRole({ body })
    const grants = [roleAt(resource_id, 'WORKSPACE', workspace)]
    const maker = await addMember(platform, api, {
      email: 'maker@example.com',
      organisation_id: organisation,
      grants,
    })
    const { create } = vmCalls(maker.api, workspace)
    await expect(create('a', { boot_disk: disk('disk') })).rejects.toMatchObject({
      reason: 'IAM_PERMISSION_DENIED',
      metadata: { permission: 'storage.objects.download' },
    })
  })

  it('is created once by a repeated call, although the object is deleted between the calls', async () => {
    const tenant = await tenantVms()
    const { api, ended, workspace } = tenant
    const { disk, remove, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    const body = { ...tinyBody, name: 'web-1', boot_disk: disk('disk') }
    const options = { idempotencyKey: 'the-same' }
    const first = await api.compute.createVm({ workspace, body }, options)
    await ended(first)
    await remove('disk')
    expect(await api.compute.createVm({ workspace, body }, options)).toMatchObject({ id: first.id })
  })
})

describe('the object of a boot disk', () => {
  it.each([
    ['absent', (file: string) => rmSync(file)],
    ['truncated', (file: string) => truncateSync(file, 5)],
  ])('whose content is %s fails the creation at once', async (_, damage) => {
    const gate = Promise.withResolvers<void>()
    const calls: string[] = []
    const tenant = await withProvision(async (driver, call) => {
      calls.push(call.vm.id)
      await gate.promise
      return driver.provision(call)
    })
    const { create, ended, get, platform } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    const operation = await create('web-1', { boot_disk: disk('disk') })
    const folder = join(platform.config.dataDir, 'storage')
    const isContent = (path: string) => /^[^/]+\/objects\/[^/]+\/[^/]+$/.test(path)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isContent)
    expect(files).toHaveLength(1)
    for (const file of files) damage(join(folder, file))
    gate.resolve()
    const description = expect.stringContaining('is lost or altered')
    expect(await ended(operation)).toMatchObject({ errors: [{ ...failedProvision, description }] })
    expect(calls).toHaveLength(1)
    expect(await get(operation.resource_id)).toMatchObject({ status: 'NATIVE_VM_STATUS_ERROR' })
  })

  it('that is deleted before its bytes are copied fails the creation, which leaves a machine to delete', async () => {
    const gate = Promise.withResolvers<void>()
    const tenant = await withProvision(async (driver, call) => {
      await gate.promise
      return driver.provision(call)
    })
    const { api, create, ended, get, platform, workspace } = tenant
    const { disk, remove, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    const operation = await create('web-1', { boot_disk: disk('disk') })
    const { resource_id: id } = operation
    await remove('disk')
    // A new object of the same name is another disk.
    await upload('disk', bytesOf(20))
    gate.resolve()
    const description = expect.stringContaining('was deleted before its bytes were copied')
    expect(await ended(operation)).toMatchObject({ errors: [{ ...failedProvision, description }] })
    expect(await get(id)).toMatchObject({
      status: 'NATIVE_VM_STATUS_ERROR',
      status_reason: 'VM_PROVISION_FAILED',
      status_message: description,
    })
    const again = await ended(await api.compute.startVm({ workspace, id, body: {} }))
    expect(again).toMatchObject({ errors: [{ ...failedProvision, description }] })
    await ended(await api.compute.deleteVm({ workspace, id }))
    await expect(get(id)).rejects.toMatchObject({ reason: 'VM_NOT_FOUND' })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('is copied in the version of the creation, although a newer version was written', async () => {
    const gate = Promise.withResolvers<void>()
    const tenant = await withProvision(async (driver, call) => {
      await gate.promise
      return driver.provision(call)
    })
    const { create, ended } = tenant
    const { disk, remove, upload } = await bootBucket(tenant, { versioning: 'STORAGE_VERSIONING_ENABLED' })
    const content = bytesOf(1000)
    await upload('disk', content)
    const operation = await create('web-1', { boot_disk: disk('disk') })
    await upload('disk', new Uint8Array(2000))
    await remove('disk')
    gate.resolve()
    expect(await ended(operation)).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', errors: [] })
    expect(beginsWith(tenant, operation.resource_id, content)).toBe(true)
  })

  it('that is deleted while its bytes are copied is copied to its end', async () => {
    let deleteObject = async () => {}
    const tenant = await withProvision((driver, call) =>
      driver.provision({
        ...call,
        content: call.content && {
          read: () => afterFirst(call.content?.read(), deleteObject),
        },
      }),
    )
    const { created } = tenant
    const { disk, remove, upload } = await bootBucket(tenant)
    const content = bytesOf(1_000_000)
    await upload('disk', content)
    deleteObject = () => remove('disk')
    const vm = await created('web-1', { boot_disk: disk('disk') })
    expect(vm).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING' })
    expect(beginsWith(tenant, vm.id, content)).toBe(true)
  })

  it('that cannot be read for a while is read again, and one that fails midway fails the creation', async () => {
    let faults = 2
    const tenant = await withProvision((driver, call) =>
      driver.provision({
        ...call,
        content: call.content && {
          read() {
            if (call.vm.name === 'broken') return broken('the disk has failed', true)
            faults -= 1
            const isPassing = faults < 0 && call.content
            return isPassing ? isPassing.read() : broken('another server has the content', false)
          },
        },
      }),
    )
    const { create, created, ended } = tenant
    const { disk, upload } = await bootBucket(tenant)
    await upload('disk', bytesOf(10))
    expect(await created('web-1', { boot_disk: disk('disk') })).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING' })
    expect(await ended(await create('broken', { boot_disk: disk('disk') }))).toMatchObject({
      errors: [{ ...failedProvision, description: 'the disk has failed' }],
    })
  })
})

async function* broken(message: string, isFinal: boolean) {
  yield new Uint8Array(5)
  throw new BootContentFault(message, isFinal, undefined)
}

/** Yields some bytes, and runs `work` after the first of them, when the content is open. */
async function* afterFirst(chunks: BootBytes | undefined, work: () => Promise<void>): BootBytes {
  if (!chunks) throw new Error('the machine has no content')
  const first = await chunks.next()
  if (first.done) throw new Error('the content has no bytes')
  await work()
  yield first.value
  yield* chunks
}
