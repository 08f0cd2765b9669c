import { expect, it } from 'vitest'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { payloadCollection, versionRowId } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { workspaceKeys } from '../../../../domain/vault/seal/seal-store.ts'
import { openBeside } from '../../../server/store/left-place.ts'
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
