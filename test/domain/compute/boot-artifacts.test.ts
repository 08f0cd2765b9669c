import { describe, expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { outcomeOf } from '../outcomes.ts'
import { OciClient, digestOf } from '../registry/oci-client.ts'
import { qcow2File } from './boot-bucket.ts'
import { tenantVms } from './tenant-vms.ts'

/** Starts a tenant with a repository `acme/web/disks`. */
async function tenantDisks() {
  const tenant = await tenantVms()
  const { api, platform, workspace } = tenant
  const { token } = await platform.admin()
  const oci = new OciClient(platform.config.baseUrl ?? '', token, platform.from(''))
  const { resource_id: repository } = await api.registry.createRepository({
    workspace,
    engine: 'native',
    body: { name: 'disks' },
  })
  const name = 'acme/web/disks'
  // The server takes the lease of the content soon after its start.
  await expect
    .poll(async () => (await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })).status, { timeout: 60_000 })
    .toBe(202)
  const push = async (tag: string, ...layers: readonly Uint8Array<ArrayBuffer>[]): Promise<string> => {
    const config = await oci.pushBlob(name, '{}', 'application/vnd.oci.empty.v1+json')
    const pushed = []
    for (const layer of layers) pushed.push(await oci.pushBlob(name, layer, 'application/x-qcow2'))
    const put = await oci.pushManifest(name, tag, { schemaVersion: 2, config, layers: pushed })
    return put.headers.get('docker-content-digest') ?? ''
  }
  const disk = (reference: string) => ({ source_artifact: { repository_id: repository, reference } })
  return { ...tenant, oci, repository, name, push, disk }
}

describe('a boot disk from an artifact', () => {
  it('is resolved at the creation, and locks the artifact while the machine exists', async () => {
    const { api, created, disk, ended, platform, push, repository, workspace } = await tenantDisks()
    const digest = await push('v1', qcow2File({ virtualBytes: 3n * 2n ** 30n }))
    const vm = await created('web-1', { boot_disk: disk('v1') })
    expect(vm).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_disk: { size_gib: 3, ...disk('v1') } })
    const at = { workspace, repository }
    const { deployment_locks: locks } = await api.registry.listDeploymentLocks(at)
    expect(locks).toMatchObject([{ digest, holder: { type: 'compute.vms', id: vm.id } }])
    const [lock = { id: '' }] = locks
    expect(await outcomeOf(api.registry.deleteDeploymentLock({ ...at, id: lock.id }))).toBe('LOCK_HELD')
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: digest }))).toBe('ARTIFACT_LOCKED')
    expect(await doctorFindings(platform.config)).toEqual([])
    await ended(await api.compute.deleteVm({ workspace, id: vm.id }))
    expect((await api.registry.listDeploymentLocks(at)).deployment_locks).toEqual([])
    expect(await outcomeOf(api.registry.deleteArtifact({ ...at, reference: digest }))).toBe('OK')
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('is refused unless the only layer of the artifact is a sound qcow2 file that fits', async () => {
    const { create, disk, oci, name, push } = await tenantDisks()
    await push('raw', new Uint8Array(600))
    await push('two', qcow2File(), qcow2File({ virtualBytes: 2n ** 31n }))
    await push('backed', qcow2File({ backingFile: 512n }))
    await push('large', qcow2File({ virtualBytes: 3n * 2n ** 30n }))
    await oci.pushManifest(
      name,
      'index',
      { schemaVersion: 2, manifests: [] },
      'application/vnd.oci.image.index.v1+json',
    )
    for (const reference of ['raw', 'two', 'backed', 'index'])
      expect(await outcomeOf(create(reference, { boot_disk: disk(reference) }))).toBe('VM_IMAGE_REQUIREMENT_UNMET')
    const small = { ...disk('large'), size_gib: 2 }
    expect(await outcomeOf(create('small', { boot_disk: small }))).toBe('VM_IMAGE_REQUIREMENT_UNMET')
    for (const reference of ['none', digestOf('none')])
      expect(await outcomeOf(create('none', { boot_disk: disk(reference) }))).toBe('VM_IMAGE_NOT_FOUND')
  })
})
