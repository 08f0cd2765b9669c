import { expect, it } from 'vitest'
import { capsulePayloads } from '../../../../domain/vault/capsules/capsules-store.ts'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { payloadCollection, versionRowId } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { workspaceKeys } from '../../../../domain/vault/seal/seal-store.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantCapsules, type MadeCapsule, type TenantCapsules } from '../capsules/tenant-capsules.ts'
import { storedBy } from '../stored-texts.ts'
import { tenantSecrets, type TenantSecrets } from '../tenant-secrets.ts'

/** Returns the stored ciphertexts of versions of a secret, in the order of their numbers. */
async function ciphertextsOf({ platform }: TenantSecrets, secret: string, count: number): Promise<readonly string[]> {
  const store = await openBeside(platform.config, storeCollections(areas))
  try {
    const numbers = Array.from({ length: count }, (_, i) => String(i + 1))
    const rows = await Promise.all(numbers.map(number => store.get(payloadCollection, versionRowId(secret, number))))
    return rows.map(row => row?.value.wrapped ?? '')
  } finally {
    await store.close()
  }
}

it('the ciphertext of a destroyed version is in no file once the destruction is answered', async () => {
  const tenant = await tenantSecrets()
  const { add, admin, at, create, platform } = tenant
  const secret = await create('database-password')
  for (const text of ['one', 'two'.repeat(5000), 'three']) await add(secret, text)
  const wrapped = await ciphertextsOf(tenant, secret, 3)
  expect(wrapped.every(each => each.length > 60)).toBe(true)
  // A long ciphertext lies on several pages.
  const marks = wrapped.flatMap(each => [each.slice(0, 60), each.slice(-60)])
  const found = async () => {
    const files = await storedBy(platform.config)
    return marks.map(mark => files.includes(mark))
  }
  expect(await found()).toEqual([true, true, true, true, true, true])
  await admin.api.vault.destroySecretVersion({ ...at, secret, id: '2', body: {} })
  expect(await found()).toEqual([true, true, false, false, true, true])
  await admin.api.vault.deleteSecret({ ...at, id: secret })
  expect(await found()).toEqual([false, false, false, false, false, false])
})

it('the key of a purged workspace is in no file', { timeout: 60_000 }, async () => {
  const tenant = await tenantSecrets()
  const { add, admin, create, organisation, platform, workspace } = tenant
  await add(await create('database-password'), 'one')
  const store = await openBeside(platform.config, storeCollections(areas))
  const key = (await store.get(workspaceKeys, workspace))?.value.wrapped ?? ''
  await store.close()
  expect(await storedBy(platform.config)).toContain(key)
  const { taxonomy } = admin.api
  await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(async () => (await storedBy(platform.config)).includes(key), { timeout: 40_000 }).toBe(false)
})

it('the ciphertext of an expired secret is in no file after another secret has taken its name', async () => {
  const tenant = await tenantSecrets()
  const { add, create, platform } = tenant
  const secret = await create('database-password', { ttl: '3600s' })
  await add(secret, 'one')
  const store = await openBeside(platform.config, storeCollections(areas))
  await store.tx(async tx => {
    const stored = await tx.lock(secretCollection, secret)
    const expire_time = new Date(Date.now() - 1000).toISOString()
    if (stored) await tx.update(secretCollection, secret, { ...stored.value, expire_time }, stored.version)
  })
  await store.close()
  const [wrapped = ''] = await ciphertextsOf(tenant, secret, 1)
  expect((await storedBy(platform.config)).includes(wrapped)).toBe(true)
  await create('database-password')
  await expect.poll(async () => (await storedBy(platform.config)).includes(wrapped), { timeout: 20_000 }).toBe(false)
})

const ends: readonly (readonly [string, (tenant: TenantCapsules, capsule: MadeCapsule) => Promise<unknown>])[] = [
  ['redeemed', ({ redeem }, capsule) => redeem(capsule, 'correct horse')],
  ['revoked', ({ admin, at }, { id }) => admin.api.vault.revokeCapsule({ ...at, id, body: {} })],
  ['locked', ({ redeem }, capsule) => expect(redeem(capsule, 'wrong horse')).rejects.toThrow('passphrase')],
]

it.each(ends)('the ciphertext of a capsule is in no file once the capsule is %s', async (_, end) => {
  const tenant = await tenantCapsules()
  const { create, platform } = tenant
  const capsule = await create('one', { passphrase: 'correct horse', max_attempts: 1 })
  const store = await openBeside(platform.config, storeCollections(areas))
  const sealed = (await store.get(capsulePayloads, capsule.id))?.value.sealed ?? ''
  await store.close()
  expect(sealed.length).toBeGreaterThan(30)
  expect((await storedBy(platform.config)).includes(sealed)).toBe(true)
  await end(tenant, capsule)
  expect((await storedBy(platform.config)).includes(sealed)).toBe(false)
})
