import { expect, it } from 'vitest'
import { absentId, addMember, addTenant, roleAt } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { keyIn } from './other-key.ts'
import { base64, secretCalls, tenantSecrets } from './tenant-secrets.ts'

const payload = { payload: { data: base64('s3cr3t') } }

/** Makes a platform with a secret of one version, and a second server on its store that has no root key. */
async function sealedServer() {
  const first = await tenantSecrets()
  const secret = await first.create('database-password')
  await first.add(secret, 's3cr3t')
  await first.add(secret, 's3cr3t-2')
  const sealed = await testPlatform({ config: { ...first.platform.config, isDev: false } })
  const { api } = await sealed.admin()
  return { first, secret, sealed, api, ...secretCalls({ api }, first.workspace) }
}

const isSealed = {
  reason: 'VAULT_SEALED',
  code: 9_000_101,
  response: { status: 503, body: { code: 14 } },
  details: { retryAfterSeconds: 30 },
}

it('a server without a root key says how to make a root key, and is degraded', async () => {
  const sealed = await testPlatform({ config: { isDev: false } })
  const notice = sealed.signIn('http://platform.test').find(line => line.includes('vault'))
  expect(notice).toMatch(/^the vault is sealed: no root key is set; make a root key with: .*openssl rand -base64 32/)
  const response = await sealed.from('127.0.0.1')('http://platform.test/readyz')
  expect([response.status, await response.json()]).toEqual([
    200,
    { status: 'degraded', reason: 'the vault is sealed; the log has the reason' },
  ])
})

it('the reason for a seal, which names files of the server, is shown to the operator only', async () => {
  const folder = '/run/keys/of-acme'
  const sealed = await testPlatform({ config: keyIn(folder) })
  const { api } = await sealed.admin()
  const { workspace } = await addTenant(api, 'acme')
  const fetched = sealed.from('192.0.2.7')
  const redeemed = await fetched(`${baseUrl}/vault/alpha/capsules/${absentId}:redeem`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'x' }),
  })
  const sent = [
    await redeemed.text(),
    await (await fetched(`${baseUrl}/readyz`)).text(),
    String(
      await secretCalls({ api }, workspace)
        .add(absentId, 's3cr3t')
        .catch((error: unknown) => error),
    ),
  ]
  expect(sent.map(text => [text.includes('the vault is sealed'), text.includes('of-acme')])).toEqual(
    sent.map(() => [true, false]),
  )
  expect(sealed.signIn(baseUrl).join('\n')).toContain(folder)
  expect(sealed.lines.join('\n')).toContain(folder)
})

it('a sealed server refuses payloads only; it reads metadata, and disables, destroys and deletes', async () => {
  const { add, api, at, create, first, read, secret } = await sealedServer()
  await expect(read(secret, 'latest')).rejects.toMatchObject(isSealed)
  await expect(add(secret, 's3cr3t-3')).rejects.toMatchObject(isSealed)
  const basic = { ...at, secret, id: '1', view: 'VAULT_SECRET_VERSION_VIEW_BASIC' } as const
  expect(await api.vault.getSecretVersion(basic)).toMatchObject({ id: '1', payload_size_bytes: 6 })
  expect((await api.vault.listSecretVersions({ ...at, secret })).versions).toHaveLength(2)
  await create('empty')
  await api.vault.disableSecretVersion({ ...at, secret, id: '1', body: {} })
  await api.vault.destroySecretVersion({ ...at, secret, id: '2', body: {} })
  await expect(first.read(secret, '2')).rejects.toMatchObject({ reason: 'SECRET_VERSION_DESTROYED' })
  await api.vault.deleteSecret({ ...at, id: secret })
  await expect(first.read(secret, '1')).rejects.toMatchObject({ reason: 'SECRET_NOT_FOUND' })
})

it('the seal is checked behind the authorization and the engine, and before the body', async () => {
  const { api, at, first, sealed, secret } = await sealedServer()
  const add = (by: typeof api, path: object, body: object) =>
    by.vault.addSecretVersion({ ...at, ...path, secret, body: { ...payload, ...body } })
  const viewer = await addMember(sealed, api, {
    email: 'viewer@acme.test',
    grants: [roleAt('workspace-viewer', 'WORKSPACE', first.workspace)],
  })
  await expect(add(viewer.api, {}, {})).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
  await expect(add(api, { engine: 'other' }, {})).rejects.toMatchObject({ reason: 'ENGINE_NOT_FOUND' })
  await expect(add(api, {}, { unknown: 1 })).rejects.toMatchObject(isSealed)
})

it('a wrong root key leaves the vault sealed, and never makes an empty vault', async () => {
  const { create, add, platform, workspace } = await tenantSecrets()
  const secret = await create('database-password')
  await add(secret, 's3cr3t')
  const { dataDir } = (await testPlatform()).config
  // The folder has the root key of another platform.
  const other = await testPlatform({ config: { ...platform.config, ...keyIn(dataDir) } })
  const { api } = await other.admin()
  await expect(secretCalls({ api }, workspace).read(secret, '1')).rejects.toMatchObject({
    ...isSealed,
    message: 'the vault is sealed; retry later, or ask the operator, whose log has the reason',
  })
  const reason = 'is not the key under which the vault is encrypted (its name was "root")'
  expect(other.signIn(baseUrl).join('\n')).toContain(reason)
})
