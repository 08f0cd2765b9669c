import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../../areas/members.ts'
import { servedVault } from '../../../../domain/vault/served-vault.ts'
import { testStorePlace } from '../../../store/left-place.ts'
import { hasGateway, keys, startGateway } from '../gateway.ts'
import { addSecret, classBody, get, put } from '../remote-storage.ts'

describe.skipIf(!hasGateway)('two servers over one database and one S3 store', () => {
  it('share the load, and either goes on alone when the other is killed', { timeout: 240_000 }, async () => {
    const gateway = await startGateway(onTestFinished)
    const served = await serve(await testStorePlace(), 2, { settings: servedVault() })
    const [first, second] = await Promise.all(served.servers.map(server => server.admin()))
    if (!first || !second) throw new Error('two servers were not started')
    const secret = await addSecret(first.api, 's3-keys', keys)
    await first.api.storage.createStorageClass({ engine: 's3', body: classBody('remote', gateway.url, secret) })
    const { workspace } = await addTenant(first.api, 'acme')
    const { resource_id: bucket } = await first.api.storage.createBucket({
      workspace,
      engine: 's3',
      body: { name: 'docs' },
    })
    const at = { workspace, engine: 's3', bucket }
    const names = Array.from({ length: 10 }, (_, i) => `object-${i}`)
    for (const [i, name] of names.entries())
      expect((await put((i % 2 === 0 ? first : second).api, at, name, name)).status).toBe(200)
    for (const [i, name] of names.entries())
      expect(await (await get((i % 2 === 0 ? second : first).api, at, name)).text()).toBe(name)
    const { resource_id: upload_id } = await first.api.storage.createMultipartUpload({
      ...at,
      body: { object: 'film' },
    })
    await served.servers[0]?.kill()
    const { storage } = second.api
    await storage.abortMultipartUpload({ ...at, upload_id })
    expect((await put(second.api, at, 'later', 'hello')).status).toBe(200)
    const { objects } = await storage.listObjects({ ...at, page_size: 100 })
    expect(objects.map(({ name }) => name)).toEqual(['later', ...names])
    const deletion = await storage.deleteBucket({ ...at, id: bucket, force: true })
    const ended = await storage.waitOperation(deletion)
    expect(ended).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
    const left: string[] = []
    for await (const { name } of gateway.account.buckets()) left.push(name)
    expect(left).toEqual([])
  })
})
