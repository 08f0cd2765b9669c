import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { StorageOperation } from '../../../../output/storage/types.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { absentId } from '../../../areas/members.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
})

const engine = 'native'
const storage_class = 'standard'

const instantiate = async (name: string, location = 'local', more = {}) =>
  ended(await api.storage.instantiateStorageClass({ storage_class, body: { name, location, ...more } }))

/** Returns an operation once it has ended, whether or not it failed. */
async function ended({ id }: StorageOperation): Promise<StorageOperation> {
  await expect.poll(async () => isEnded(await api.storage.getOperation({ id })), { timeout: 30_000 }).toBe(true)
  return api.storage.getOperation({ id })
}

const read = (id: string) => api.storage.getStorageClassInstance({ storage_class, id })

describe('an instance', () => {
  it('becomes READY with a folder of its own, which goes with its class', async () => {
    await api.storage.createStorageClass({ engine, body: { name: 'own', tier: 'STORAGE_TIER_HOT' } })
    const body = { name: 'first', location: 'local', resource_pool: 'local1-a-default' }
    const pending = await api.storage.instantiateStorageClass({ storage_class: 'own', body })
    expect(pending).toMatchObject({
      status: 'STORAGE_OPERATION_STATUS_PENDING',
      operation_type: 'STORAGE_OPERATION_TYPE_CREATE',
      resource_type: 'storage.storageClassInstances',
      scope_type: 'STORAGE_SCOPE_TYPE_PLATFORM',
    })
    const { resource_id: id } = await api.storage.waitOperation(pending)
    expect(await api.storage.getStorageClassInstance({ storage_class: 'own', id })).toMatchObject({
      ...body,
      state: 'STORAGE_CLASS_INSTANCE_STATE_READY',
    })
    const folder = join(platform.config.dataDir, 'storage', id)
    expect((await readdir(folder)).sort()).toEqual(['instance', 'objects', 'parts', 'tmp'])
    await expect(api.topology.deleteResourcePool({ id: 'local1-a-default' })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_IN_USE',
    })
    await api.storage.deleteStorageClass({ engine, id: 'own' })
    await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false)
  })

  it('has a name of its own in its class', async () => {
    await instantiate('twice')
    await expect(instantiate('twice')).rejects.toMatchObject({
      reason: 'INSTANCE_ALREADY_EXISTS',
      rpc: 'ALREADY_EXISTS',
      code: 6_006_003,
      details: { resource: { type: 'storage.storageClassInstances' } },
    })
  })

  it('that cannot be made is FAILED, and is made by a call with its name', async () => {
    await addRegions(api, ['far'])
    const failed = await instantiate('again', 'far')
    expect(failed).toMatchObject({
      status: 'STORAGE_OPERATION_STATUS_ERROR',
      errors: [{ code: 6_006_001, reason: 'INSTANCE_PROVISION_FAILED', description: expect.stringContaining('far') }],
    })
    expect(await read(failed.resource_id)).toMatchObject({
      state: 'STORAGE_CLASS_INSTANCE_STATE_FAILED',
      conditions: [{ type: 'Writable', status: 'False', reason: 'ProvisionFailed' }],
    })
    const made = await instantiate('again')
    expect(made).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', resource_id: failed.resource_id })
    expect(await read(made.resource_id)).toMatchObject({
      location: 'local',
      region: 'local1',
      state: 'STORAGE_CLASS_INSTANCE_STATE_READY',
    })
  })

  it.each([
    ['location', 'nowhere', {}],
    ['resource_pool', 'local', { resource_pool: 'no-pool' }],
  ])('is refused for an absent %s', async (field, location, more) => {
    await expect(instantiate('placed', location, more)).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field }] },
    })
  })

  it('of another class is not found', async () => {
    await expect(read(absentId)).rejects.toMatchObject({
      reason: 'INSTANCE_NOT_FOUND',
      rpc: 'NOT_FOUND',
      code: 6_006_002,
      details: { resource: { type: 'storage.storageClassInstances', name: absentId } },
    })
    await expect(api.storage.getStorageClassInstance({ storage_class: 'absent', id: absentId })).rejects.toMatchObject({
      reason: 'STORAGE_CLASS_NOT_FOUND',
    })
  })
})
