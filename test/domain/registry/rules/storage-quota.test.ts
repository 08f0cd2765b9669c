import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { faultOf } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'

let served: ServedRegistry
const undone: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  served = await servedRegistry(undo => void undone.push(undo))
  return async () => {
    for (const undo of undone.toReversed()) await undo()
  }
})

const at = (id: string) => ({ workspace: served.workspace, engine: 'native', id })

const stateOf = async (id: string) => (await served.api.registry.getRepository(at(id))).state

describe('the limit of stored bytes', () => {
  it('below the usage makes every repository READ_ONLY until enough is deleted', async () => {
    const { api, oci, repository, workspace } = served
    const [big, small] = [await repository('big'), await repository('small')]
    const digest = await oci.pushImage('acme/web/big', 'v1', 'x'.repeat(20_000))
    await oci.pushImage('acme/web/small', 'v1', 'small')
    const body = { quota_definition_id: 'registry.storageBytes', limit: 10_000 }
    const made = await api.registry.createQuotaLimit({ workspace, body })
    expect(made.warnings).toMatchObject([{ code: 5_011_090 }])
    expect([await stateOf(big), await stateOf(small)]).toEqual([
      'REGISTRY_REPOSITORY_STATE_READ_ONLY',
      'REGISTRY_REPOSITORY_STATE_READ_ONLY',
    ])
    const start = await oci.send('/v2/acme/web/small/blobs/uploads/', { method: 'POST' })
    expect(faultOf(start)).toBe('403 DENIED REPOSITORY_READ_ONLY')
    const limit = await api.registry.getQuotaLimit({ workspace, id: made.resource_id })
    const sizes = await Promise.all([big, small].map(async id => (await api.registry.getRepository(at(id))).size_bytes))
    expect(limit.usage).toBe(sizes.reduce<number>((sum, size = 0) => sum + size, 0))
    expect((await oci.send(`/v2/acme/web/big/manifests/${digest}`, { method: 'DELETE' })).status).toBe(202)
    expect(await stateOf(small)).toBe('REGISTRY_REPOSITORY_STATE_ACTIVE')
    await oci.pushImage('acme/web/small', 'v2', 'again')
    const id = made.resource_id
    await api.registry.updateQuotaLimit({ workspace, id, update_mask: 'limit', body: { limit: 100 } })
    expect(await stateOf(small)).toBe('REGISTRY_REPOSITORY_STATE_READ_ONLY')
    await api.registry.deleteQuotaLimit({ workspace, id })
    expect(await stateOf(small)).toBe('REGISTRY_REPOSITORY_STATE_ACTIVE')
  })

  it('refuses a push beyond it, and counts a blob once in each repository', async () => {
    const { api, oci } = served
    const { workspace } = await addTenant(api, 'small')
    const body = { quota_definition_id: 'registry.storageBytes', limit: 9000 }
    const { resource_id: id } = await api.registry.createQuotaLimit({ workspace, body })
    await api.registry.createRepository({ workspace, engine: 'native', body: { name: 'api' } })
    await oci.pushBlob('small/web/api', 'y'.repeat(4000))
    await oci.pushBlob('small/web/api', 'y'.repeat(4000))
    expect((await api.registry.getQuotaLimit({ workspace, id })).usage).toBe(4000)
    await expect(oci.pushBlob('small/web/api', 'z'.repeat(6000))).rejects.toThrow('403 DENIED QUOTA_EXCEEDED')
    expect((await api.registry.getQuotaLimit({ workspace, id })).usage).toBe(4000)
  })

  it('of artifacts refuses one more in its repository', async () => {
    const { api, oci, repository, workspace } = served
    const repository_id = await repository('few')
    const body = { quota_definition_id: 'registry.artifacts', dimensions: { repository_id }, limit: 1 }
    await api.registry.createQuotaLimit({ workspace, body })
    await oci.pushImage('acme/web/few', 'v1', 'one')
    await oci.pushImage('acme/web/few', 'v2', 'one')
    await expect(oci.pushImage('acme/web/few', 'v3', 'two')).rejects.toThrow('403 DENIED QUOTA_EXCEEDED')
    expect(await api.registry.getRepository(at(repository_id))).toMatchObject({ artifact_count: 1, tag_count: 2 })
  })
})
