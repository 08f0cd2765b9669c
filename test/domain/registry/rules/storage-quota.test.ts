import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { digestOf, faultOf, type OciAnswer } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { afterTests } from '../../../undo.ts'

let served: ServedRegistry

beforeAll(async () => {
  served = await servedRegistry(afterTests)
})

const at = (id: string) => ({ workspace: served.workspace, engine: 'native', id })

const stateOf = async (id: string) => (await served.api.registry.getRepository(at(id))).state

const startAt = async (name: string): Promise<string> => {
  const { headers } = await served.oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
  return headers.get('location') ?? ''
}

const outcomeOf = (answer: OciAnswer): string => (answer.status < 300 ? String(answer.status) : faultOf(answer))

/** Pushes a blob in two chunks, whose digest only the last call names. Returns the status or the first fault. */
async function pushByPatch(name: string, bytes: string): Promise<string> {
  let at = await startAt(name)
  for (const body of [bytes.slice(0, 10), bytes.slice(10)]) {
    const chunk = await served.oci.send(at, { method: 'PATCH', body })
    if (chunk.status !== 202) return faultOf(chunk)
    at = chunk.headers.get('location') ?? ''
  }
  return outcomeOf(await served.oci.send(`${at}?digest=${digestOf(bytes)}`, { method: 'PUT' }))
}

/** Pushes a blob by one PUT. Returns the status or the fault. */
const pushByPut = async (name: string, body: string): Promise<string> =>
  outcomeOf(await served.oci.send(`${await startAt(name)}?digest=${digestOf(body)}`, { method: 'PUT', body }))

describe('the limit of stored bytes', () => {
  it('below the usage makes every repository READ_ONLY, a new one too, until enough is deleted', async () => {
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
    const late = await repository('late')
    expect([await stateOf(small), await stateOf(late)]).toEqual(Array(2).fill('REGISTRY_REPOSITORY_STATE_READ_ONLY'))
    await api.registry.deleteQuotaLimit({ workspace, id })
    expect([await stateOf(small), await stateOf(late)]).toEqual(Array(2).fill('REGISTRY_REPOSITORY_STATE_ACTIVE'))
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

  it('leaves room for what a repository has already, however it is pushed again', async () => {
    const { api, oci } = served
    const { workspace } = await addTenant(api, 'again')
    const name = 'again/web/api'
    const place = { workspace, engine: 'native' } as const
    const { resource_id: repository } = await api.registry.createRepository({ ...place, body: { name: 'api' } })
    const layer = 'y'.repeat(4000)
    const digest = await oci.pushImage(name, 'v1', layer)
    const { size_bytes: usage = 0 } = await api.registry.getRepository({ ...place, id: repository })
    const body = { quota_definition_id: 'registry.storageBytes', limit: usage + 1000 }
    const { resource_id: id } = await api.registry.createQuotaLimit({ workspace, body })
    expect(await oci.pushImage(name, 'v2', layer)).toBe(digest)
    for (const way of [pushByPatch, pushByPut]) {
      expect(await way(name, layer)).toBe('201')
      expect(await way(name, 'z'.repeat(4000))).toBe('403 DENIED QUOTA_EXCEEDED')
      expect(await way(name, 'w'.repeat(4001))).toBe('403 DENIED QUOTA_EXCEEDED')
    }
    await expect(oci.pushBlob(name, 'z'.repeat(4000))).rejects.toThrow('403 DENIED QUOTA_EXCEEDED')
    expect((await api.registry.getQuotaLimit({ workspace, id })).usage).toBe(usage)
    // The limit of a single blob holds for the bytes that arrive, of whatever blob they are.
    await api.registry.createQuotaLimit({ workspace, body: { quota_definition_id: 'registry.blobBytes', limit: 3999 } })
    for (const way of [pushByPatch, pushByPut]) expect(await way(name, layer)).toBe('403 DENIED QUOTA_EXCEEDED')
    await expect(oci.pushBlob(name, layer)).rejects.toThrow('403 DENIED QUOTA_EXCEEDED')
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
