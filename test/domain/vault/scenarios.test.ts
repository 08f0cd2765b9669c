import { expect, it } from 'vitest'
import { addMember, roleAt } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { tenantSecrets } from './tenant-secrets.ts'

it('scenario 1: a version is added only if its checksum is right', async () => {
  const { admin, at, create, platform } = await tenantSecrets()
  const secret = await create('database-password')
  const add = (data: string, data_crc32c: number) =>
    admin.api.vault.addSecretVersion({ ...at, secret, body: { payload: { data, data_crc32c } } })
  expect(await add('czNjcjN0LXYx', 366427462)).toMatchObject({
    status: 'VAULT_OPERATION_STATUS_DONE',
    operation_type: 'VAULT_OPERATION_TYPE_ADD_VERSION',
    resource_type: 'vault.secretVersions',
    resource_id: `${secret}/versions/1`,
  })
  await expect(add('czNjcjN0LXYy', 366427462)).rejects.toMatchObject({
    reason: 'CHECKSUM_MISMATCH',
    code: 9_000_103,
    response: { status: 400, body: { code: 3 } },
    metadata: { field: 'payload.data_crc32c' },
  })
  expect(await admin.api.vault.getSecret({ ...at, id: secret })).toMatchObject({ latest_version: '1' })
  expect(await add('czNjcjN0LXYy', 109563570)).toMatchObject({ resource_id: `${secret}/versions/2` })
  expect(await admin.api.vault.getSecretVersion({ ...at, secret, id: 'latest' })).toMatchObject({
    id: '2',
    version: 2,
    payload: { data: 'czNjcjN0LXYy', data_crc32c: 109563570 },
    payload_crc32c_given: true,
    payload_size_bytes: 9,
  })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('scenario 2: the latest version never falls back, and a viewer cannot read payloads', async () => {
  const { add, admin, at, create, platform, read, workspace } = await tenantSecrets()
  const secret = await create('database-password')
  await add(secret, 's3cr3t-v1')
  await add(secret, 's3cr3t-v2')
  const { vault } = admin.api
  await vault.disableSecretVersion({ ...at, secret, id: '2', body: {} })
  await expect(read(secret, 'latest')).rejects.toMatchObject({
    reason: 'SECRET_VERSION_DISABLED',
    response: { status: 400, body: { code: 9 } },
    code: 9_002_002,
  })
  const basic = { ...at, secret, id: 'latest', view: 'VAULT_SECRET_VERSION_VIEW_BASIC' } as const
  const shown = await vault.getSecretVersion(basic)
  expect(shown).toMatchObject({ id: '2', state: 'VAULT_SECRET_VERSION_STATE_DISABLED' })
  expect(shown).not.toHaveProperty('payload')
  await vault.disableSecretVersion({ ...at, secret, id: '2', body: { disabled: false } })
  expect(await read(secret, 'latest')).toBe('s3cr3t-v2')
  await vault.destroySecretVersion({ ...at, secret, id: '2', body: {} })
  await expect(read(secret, '2')).rejects.toMatchObject({ reason: 'SECRET_VERSION_DESTROYED' })
  const viewer = await addMember(platform, admin.api, {
    email: 'viewer@acme.test',
    grants: [roleAt('workspace-viewer', 'WORKSPACE', workspace)],
  })
  await expect(viewer.api.vault.getSecretVersion({ ...at, secret, id: '1' })).rejects.toMatchObject({
    reason: 'IAM_PERMISSION_DENIED',
    response: { status: 403 },
  })
  expect((await viewer.api.vault.listSecretVersions({ ...at, secret })).versions.map(({ id }) => id)).toEqual([
    '2',
    '1',
  ])
  expect(await doctorFindings(platform.config)).toEqual([])
})
