import { beforeAll, describe, expect, it } from 'vitest'
import type { DeploymentLockInput } from '../../../../output/registry/types.ts'
import { absentId } from '../../../areas/members.ts'
import { endingSoon } from '../ending-soon.ts'
import { faultOf, ociImage, ociIndex } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { afterTests } from '../../../undo.ts'

let served: ServedRegistry

beforeAll(async () => {
  served = await servedRegistry(afterTests)
})

interface Pushed {
  readonly repository: string
  readonly name: string
  readonly digest: string
}

/** Creates a repository with an image of the tag `v1`. */
async function pushed(own: string): Promise<Pushed> {
  const repository = await served.repository(own)
  const name = `acme/web/${own}`
  return { repository, name, digest: await served.oci.pushImage(name, 'v1', own) }
}

const lock = (repository: string, body: Partial<DeploymentLockInput> = {}) =>
  served.api.registry.createDeploymentLock({
    workspace: served.workspace,
    repository,
    body: { reference: 'v1', reason: 'runs in production', ...body },
  })

const locked = (id: string) => ({ reason: 'ARTIFACT_LOCKED', rpc: 'FAILED_PRECONDITION', metadata: { lock_ids: id } })

describe('a deployment lock', () => {
  it('keeps its artifact from every deletion until the lock is deleted', async () => {
    const { api, oci, workspace } = served
    const { digest, name, repository } = await pushed('kept')
    const { resource_id: id } = await lock(repository)
    const found = await api.registry.getDeploymentLock({ workspace, repository, id })
    expect(found).toMatchObject({
      name: `lock-${id}`,
      reference: 'v1',
      digest,
      protected_digests: [digest],
      protect_tags: false,
      state: 'REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE',
    })
    expect(found).not.toHaveProperty('repository_id')
    expect((await api.registry.listDeploymentLocks({ workspace, repository })).deployment_locks).toEqual([found])
    const deleted = await oci.send(`/v2/${name}/manifests/${digest}`, { method: 'DELETE' })
    expect(faultOf(deleted)).toBe('409 DENIED ARTIFACT_LOCKED')
    const at = { workspace, engine: 'native', id: repository }
    await expect(api.registry.deleteRepository({ ...at, force: true })).rejects.toMatchObject(locked(id))
    await api.registry.deleteDeploymentLock({ workspace, repository, id })
    expect((await oci.send(`/v2/${name}/manifests/${digest}`, { method: 'DELETE' })).status).toBe(202)
    const { audit_events } = await api.registry.listAuditEvents({
      workspace,
      filter: `repository_id="${repository}" AND action=REGISTRY_AUDIT_ACTION_LOCK`,
    })
    expect(audit_events).toMatchObject([{ digest, tag: 'v1', repository_name: 'kept' }])
  })

  it('of an index protects its children', async () => {
    const { api, oci, workspace } = served
    const { digest, name, repository } = await pushed('indexed')
    const size = (await oci.send(`/v2/${name}/manifests/${digest}`)).bytes.length
    const index = { schemaVersion: 2, mediaType: ociIndex, manifests: [{ mediaType: ociImage, digest, size }] }
    const answer = await oci.pushManifest(name, 'all', index, ociIndex)
    const top = answer.headers.get('docker-content-digest') ?? ''
    const { resource_id: id } = await lock(repository, { reference: 'all' })
    expect(await api.registry.getDeploymentLock({ workspace, repository, id })).toMatchObject({
      digest: top,
      protected_digests: [top, digest],
    })
  })

  it('protects the tags that point at its artifact when this becomes true', async () => {
    const { api, oci, workspace } = served
    const { name, repository } = await pushed('tagged')
    const { resource_id: id } = await lock(repository, { protect_tags: true })
    const other = await oci.image(name, 'another')
    expect(faultOf(await oci.pushManifest(name, 'v1', other))).toBe('409 DENIED ARTIFACT_LOCKED')
    expect((await oci.pushManifest(name, 'v2', other)).status).toBe(201)
    await api.registry.updateDeploymentLock({
      workspace,
      repository,
      id,
      update_mask: 'protect_tags',
      body: { protect_tags: false },
    })
    expect((await oci.pushManifest(name, 'v1', other)).status).toBe(201)
  })

  it('expires by the clock, and a later end revives it', async () => {
    const { api, oci, workspace } = served
    const { digest, name, repository } = await pushed('expiring')
    const { resource_id: id } = await endingSoon(expire_time => lock(repository, { expire_time }))
    const state = async () => (await api.registry.getDeploymentLock({ workspace, repository, id })).state
    await expect.poll(state, { interval: 100 }).toBe('REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED')
    const filter = 'state=REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED'
    const listed = await api.registry.listDeploymentLocks({ workspace, repository, filter })
    expect(listed.deployment_locks).toMatchObject([{ id, state: 'REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED' }])
    const update = (expire_time: string) =>
      api.registry.updateDeploymentLock({
        workspace,
        repository,
        id,
        update_mask: 'expire_time',
        body: { expire_time },
      })
    await expect(update('2020-01-01T00:00:00Z')).rejects.toMatchObject({ reason: 'EXPIRE_TIME_IN_PAST' })
    await update('2999-01-01T00:00:00Z')
    expect(await state()).toBe('REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE')
    const remove = () => oci.send(`/v2/${name}/manifests/${digest}`, { method: 'DELETE' })
    expect(faultOf(await remove())).toBe('409 DENIED ARTIFACT_LOCKED')
    await endingSoon(update)
    await expect.poll(async () => (await remove()).status, { interval: 100 }).toBe(202)
    await expect(update('2999-01-01T00:00:00Z')).rejects.toMatchObject({
      reason: 'ARTIFACT_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
    })
  })

  it('is refused for what is no artifact, for a machine, and for a name that is taken', async () => {
    const { api, workspace } = served
    const { repository } = await pushed('refusing')
    const at = (reason: string, field: string) => ({
      reason,
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [expect.objectContaining({ field })] },
    })
    await expect(lock(repository, { reference: 'v9' })).rejects.toMatchObject(at('ARTIFACT_NOT_FOUND', 'reference'))
    await expect(lock(repository, { reference: 'a/b' })).rejects.toMatchObject(at('REFERENCE_INVALID', 'reference'))
    await expect(lock(repository, { expire_time: '2020-01-01T00:00:00Z' })).rejects.toMatchObject(
      at('EXPIRE_TIME_IN_PAST', 'expire_time'),
    )
    const holder = { type: 'compute.vms', id: absentId }
    await expect(lock(repository, { holder })).rejects.toMatchObject(at('FIELD_INVALID', 'holder.type'))
    await lock(repository, { name: 'one' })
    await expect(lock(repository, { name: 'one' })).rejects.toMatchObject({ reason: 'LOCK_ALREADY_EXISTS' })
    await expect(lock(absentId)).rejects.toMatchObject({ reason: 'REPOSITORY_NOT_FOUND', rpc: 'NOT_FOUND' })
    await expect(api.registry.getDeploymentLock({ workspace, repository, id: absentId })).rejects.toMatchObject({
      reason: 'LOCK_NOT_FOUND',
    })
  })
})
