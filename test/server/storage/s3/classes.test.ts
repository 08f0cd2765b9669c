import { beforeAll, describe, expect, it } from 'vitest'
import { absentId, addMember, roleAt } from '../../../areas/members.ts'
import { afterTests } from '../../../undo.ts'
import { freePort } from '../../registry/clients/distribution-cluster.ts'
import { hasGateway, keys, startGateway, type Gateway } from './gateway.ts'
import { addSecret, classBody, remoteNameOf, remoteStorage, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
const api = () => remote.admin.api
const engine = 's3'

beforeAll(async () => {
  if (!hasGateway) return
  gateway = await startGateway(afterTests)
  remote = await remoteStorage(gateway.url, { later: afterTests })
}, 120_000)

const create = (name: string, s3: object = {}, more: object = {}) => {
  const body = classBody(name, gateway.url, remote.secret)
  return api().storage.createStorageClass({
    engine,
    body: { ...body, is_default: false, ...more, ...(body.s3 && { s3: { ...body.s3, ...s3 } }) },
  })
}

describe.skipIf(!hasGateway)('a storage class of an S3 store', { timeout: 60_000 }, () => {
  it('has the capabilities that the probe has found, and leaves nothing of the probe', async () => {
    const found = await api().storage.getStorageClass({ engine, id: 'remote' })
    expect(found).toMatchObject({ engine, regions: ['local1'], is_default: true, bucket_count: 0 })
    expect(found.s3?.capabilities.toSorted()).toEqual([
      'STORAGE_CAPABILITY_CHECKSUM_SHA256',
      'STORAGE_CAPABILITY_CONDITIONAL_PUT',
      'STORAGE_CAPABILITY_CORS',
      'STORAGE_CAPABILITY_MULTIPART',
      'STORAGE_CAPABILITY_RANGE',
      'STORAGE_CAPABILITY_VERSIONING',
    ])
    const left = []
    for await (const { name } of gateway.account.buckets()) if (name.includes('probe')) left.push(name)
    expect(left).toEqual([])
    expect((await api().storage.listStorageClasses({ engine })).storage_classes).toEqual([found])
    expect((await api().storage.listStorageClasses({ engine: 'native' })).storage_classes).toHaveLength(1)
  })

  it('shows its store only to callers who may update storage classes', async () => {
    const grants = [roleAt('workspace-viewer', 'WORKSPACE', remote.workspace)]
    const viewer = await addMember(remote.platform, api(), { email: 'viewer@example.com', grants })
    const seen = await viewer.api.storage.getStorageClass({ engine, id: 'remote' })
    expect(seen).not.toHaveProperty('s3')
    const { storage_classes } = await viewer.api.storage.listStorageClasses({ engine })
    expect(storage_classes).toEqual([seen])
    expect(JSON.stringify(storage_classes)).not.toContain(gateway.url)
  })

  it.each([
    ['http to a public address', { endpoint: 'http://203.0.113.5' }, 's3.endpoint'],
    ['http to a name', { endpoint: 'http://s3.example.com' }, 's3.endpoint'],
    ['credentials in the URL', { endpoint: 'https://me:word@s3.example.com' }, 's3.endpoint'],
    ['a path', { endpoint: 'https://s3.example.com/path' }, 's3.endpoint'],
    ['another scheme', { endpoint: 'ftp://s3.example.com' }, 's3.endpoint'],
    ['a secret that does not exist', { credentials_secret_id: absentId }, 's3.credentials_secret_id'],
  ])('is refused with %s', async (_name, s3, field) => {
    await expect(create('refused', s3)).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field }] },
    })
  })

  it('is refused without a region, and with members of the native engine', async () => {
    await expect(create('refused', {}, { regions: [] })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(create('refused', {}, { regions: ['nowhere'] })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(create('refused', {}, { native: {} })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    const { s3: _store, ...body } = classBody('refused', gateway.url, remote.secret)
    await expect(api().storage.createStorageClass({ engine, body })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    const native = {
      name: 'refused',
      tier: 'STORAGE_TIER_HOT',
      s3: classBody('x', gateway.url, remote.secret).s3,
    } as const
    await expect(
      api().storage.createStorageClass({
        engine: 'native',
        body: { ...native, ...(native.s3 && { s3: native.s3 }) } as never,
      }),
    ).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  })

  it('is refused for a store that does not answer, and for keys that the store does not accept', async () => {
    const nowhere = { endpoint: `http://127.0.0.1:${await freePort()}` }
    const failed = (type: string) => ({ reason: 'STORAGE_CLASS_PROBE_FAILED', details: { precondition: [{ type }] } })
    await expect(create('refused', nowhere)).rejects.toMatchObject(failed('ENDPOINT'))
    const wrong = await addSecret(api(), 'wrong-keys', { ...keys, secret_access_key: 'another' })
    await expect(create('refused', { credentials_secret_id: wrong })).rejects.toMatchObject(failed('CREDENTIALS'))
    const unfit = await addSecret(api(), 'unfit-keys', { user: 'somebody' })
    await expect(create('refused', { credentials_secret_id: unfit })).rejects.toMatchObject(failed('CREDENTIALS'))
    expect(remote.platform.lines.join('\n')).not.toContain(keys.secret_access_key)
  })

  it('is probed again with other keys, which its buckets use from then on', async () => {
    await create('rotated')
    const at = await remote.bucket('rotated', { storage_class: 'rotated' })
    const change = (secret: string) =>
      api().storage.updateStorageClass({
        engine,
        id: 'rotated',
        update_mask: 's3.credentials_secret_id',
        body: { s3: { credentials_secret_id: secret } },
      })
    const wrong = await addSecret(api(), 'rotated-wrong', { ...keys, access_key_id: 'nobody' })
    await expect(change(wrong)).rejects.toMatchObject({ reason: 'STORAGE_CLASS_PROBE_FAILED' })
    const right = await addSecret(api(), 'rotated-right', keys)
    await change(right)
    expect((await api().storage.getStorageClass({ engine, id: 'rotated' })).s3).toMatchObject({
      credentials_secret_id: right,
      endpoint: gateway.url,
    })
    expect((await api().storage.listObjects({ ...at })).objects).toEqual([])
    expect(await gateway.account.hasBucket(remoteNameOf(at))).toBe(true)
    const update = { engine, id: 'rotated', update_mask: 'display_name', body: { display_name: 'Changed' } }
    await api().storage.updateStorageClass(update)
    await expect(
      api().storage.updateStorageClass({ engine, id: 'rotated', update_mask: 'regions', body: { regions: [] } }),
    ).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(api().storage.deleteStorageClass({ engine, id: 'rotated' })).rejects.toMatchObject({
      reason: 'STORAGE_CLASS_IN_USE',
    })
  })

  it('keeps its secret from deletion', async () => {
    const at = { workspace: '00000000-0000-7000-8000-000000000003', engine: 'native' }
    await expect(api().vault.deleteSecret({ ...at, id: remote.secret })).rejects.toMatchObject({
      reason: 'SECRET_IN_USE',
    })
  })
})
