import { chmodSync, lstatSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { remakeFiles } from '../../../server/backup/restore.ts'
import { DiskFolder, diskEntries, diskFolderOf } from '../../../server/compute/disk-folder.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { atScale, tenantVms, vmCalls } from '../../domain/compute/tenant-vms.ts'
import { backUpTo, restoreFrom } from '../backup/harness.ts'
import { testFolder } from '../store/harness.ts'

const gib = 2 ** 30

/** The sizes in GiB of the files of a machine, keyed by the name of the file. */
const sizesOf = (dataDir: string, vm: string) =>
  Object.fromEntries(diskEntries(dataDir, vm).map(({ bytes = 0, name }) => [name, bytes / gib]))

const remake = (dataDir: string): Promise<void> => remakeFiles({ dataDir, areas, print: line => expect(line).toBe('') })

it('the disks of a machine have sparse files of their sizes, from the creation to the deletion', async () => {
  const tenant = await tenantVms()
  const { api, created, ended, workspace } = tenant
  const { config } = tenant.platform
  const { id } = await created('web-1', { data_disks: [{ name: 'data', size_gib: 2 }] })
  expect(sizesOf(config.dataDir, id)).toEqual({ boot: 1, 'data-data': 2 })
  const folder = join(diskFolderOf(config.dataDir), id)
  expect(lstatSync(folder).mode & 0o777).toBe(0o700)
  expect(lstatSync(join(folder, 'boot'))).toMatchObject({ mode: 0o100600, blocks: 0 })
  const grown = { boot_disk: { size_gib: 3 }, data_disks: [{ name: 'data', size_gib: 5 }] }
  const mask = 'boot_disk.size_gib,data_disks'
  await ended(await api.compute.updateVm({ workspace, id, update_mask: mask, body: grown }))
  expect(sizesOf(config.dataDir, id)).toEqual({ boot: 3, 'data-data': 5 })
  await ended(await api.compute.stopVm({ workspace, id, body: {} }))
  const others = { data_disks: [{ name: 'boot', size_gib: 1 }] }
  await ended(await api.compute.updateVm({ workspace, id, update_mask: 'data_disks', body: others }))
  expect(sizesOf(config.dataDir, id)).toEqual({ boot: 3, 'data-boot': 1 })
  const { id: broken } = await created('broken', { metadata: { 'sim.fail': 'provision' } })
  expect(sizesOf(config.dataDir, broken)).toEqual({})
  expect(await doctorFindings(config)).toEqual([])
  await ended(await api.compute.deleteVm({ workspace, id }))
  expect(readdirSync(diskFolderOf(config.dataDir))).toEqual([])
})

it('a host that refuses files fails a creation and an update without naming a path, and no deletion', async () => {
  const { api, created, ended, get, platform, workspace } = await tenantVms()
  const { id } = await created('web-1')
  const folder = diskFolderOf(platform.config.dataDir)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'a file in the place of the folder')
  const message = 'the host could not change the files of the disks'
  const failed = (reason: string) => ({ errors: [{ reason, description: message }] })
  const growth = { workspace, id, update_mask: 'boot_disk.size_gib', body: { boot_disk: { size_gib: 2 } } }
  expect(await ended(await api.compute.updateVm(growth))).toMatchObject(failed('VM_UPDATE_FAILED'))
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_disk: { size_gib: 1 } })
  expect(await created('web-2')).toMatchObject({ status_reason: 'VM_PROVISION_FAILED', status_message: message })
  expect(await ended(await api.compute.deleteVm({ workspace, id }))).toMatchObject({ errors: [] })
  expect(platform.lines.join()).toContain('the files for the disks of a simulated machine cannot be changed')
})

it('a disk beyond the largest file has the largest file', () => {
  const dataDir = testFolder()
  const id = '00000000-0000-7000-8000-000000000000'
  const folder = new DiskFolder(dataDir, { warn: (_, message) => expect(message).toBe('') })
  expect(folder.set(id, { name: '', size_gib: 65_536 })).toBe(true)
  expect(sizesOf(dataDir, id)).toEqual({ boot: 16_383 })
})

describe('beside a stopped server', () => {
  const undo: (() => void | Promise<void>)[] = []
  let place: StorePlace
  let vm: string
  let folder: string

  beforeAll(async () => {
    place = { dataDir: testFolder(each => void undo.push(each)) }
    await whileOpen({ ...place, given: atScale(0) }, async api => {
      const { workspace } = await addTenant(api, 'acme')
      vm = (await vmCalls(api, workspace).created('web-1', { data_disks: [{ name: 'data', size_gib: 2 }] })).id
    })
    folder = join(diskFolderOf(place.dataDir), vm)
  })

  afterAll(async () => {
    for (const each of undo.toReversed()) await each()
  })

  const stranger = '00000000-0000-7000-8000-000000000001'

  const tampers: readonly (readonly [name: string, tamper: () => void, finding: () => string])[] = [
    ['is deleted', () => rmSync(join(folder, 'boot')), () => `${vm}: lacks the disk file ${folder}/boot`],
    [
      'is cut',
      () => truncateSync(join(folder, 'boot'), 5),
      () => `${vm}: has ${folder}/boot with 5 bytes; its disk has ${gib}`,
    ],
    [
      'can be read by others',
      () => chmodSync(join(folder, 'data-data'), 0o644),
      () => `${vm}: has ${folder}/data-data, which other users of the host may read or write`,
    ],
    [
      'stands for no disk',
      () => writeFileSync(join(folder, 'data-more'), '', { mode: 0o600 }),
      () => `${vm}: has ${folder}/data-more, which stands for none of its disks`,
    ],
    [
      'is a link',
      () => {
        rmSync(join(folder, 'boot'))
        symlinkSync('/etc/hostname', join(folder, 'boot'))
      },
      () => `${vm}: has ${folder}/boot, which is no regular file`,
    ],
    [
      'belongs to no machine',
      () => new DiskFolder(place.dataDir, console).set(stranger, { name: '', size_gib: 1 }),
      () =>
        `${stranger}: does not exist, and has the disk files in ${join(folder, '..', stranger)}; the next start of a server deletes them`,
    ],
  ]

  it.each(tampers)('the doctor names a disk file that %s, and a repair mends it', async (_name, tamper, finding) => {
    tamper()
    expect(await doctorFindings(place)).toEqual([`compute.vms ${finding()}`])
    await remake(place.dataDir)
    expect(await doctorFindings(place)).toEqual([])
    expect(lstatSync('/etc/hostname').size).toBeLessThan(gib)
  })

  it('the next start of a server makes absent files', async () => {
    rmSync(diskFolderOf(place.dataDir), { recursive: true })
    await whileOpen({ ...place, given: atScale(0) }, () => expect.poll(() => doctorFindings(place)).toEqual([]))
  })

  it('a restored store has the files of its machines and no others', async () => {
    const backup = join(testFolder(), 'b.sqlite')
    await backUpTo(place.dataDir, backup)
    const restored = { dataDir: testFolder() }
    new DiskFolder(restored.dataDir, console).set(stranger, { name: '', size_gib: 1 })
    restoreFrom(restored.dataDir, backup)
    await remake(restored.dataDir)
    expect(await doctorFindings(restored)).toEqual([])
    expect(readdirSync(diskFolderOf(restored.dataDir))).toEqual([vm])
  })
})
