import { expect, it } from 'vitest'
import { eraseSecret, isErasing } from '../../../domain/vault/secrets/remove-secret.ts'
import { payloadCollection, secretVersionCollection } from '../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../domain/vault/secrets/secrets-store.ts'
import { agenda } from '../../../domain/vault/work/agenda.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantSecrets } from './tenant-secrets.ts'

/** More versions than are erased in the transaction that deletes their secret. */
const versions = 8

/** Makes a secret with many versions, one of which is going to be destroyed. */
async function manyVersions() {
  const tenant = await tenantSecrets()
  const { add, admin, at, create } = tenant
  const secret = await create('password', { version_destroy_delay: '86400s', rotation: { rotation_period: '86400s' } })
  for (let i = 0; i < versions; i += 1) await add(secret, `value ${i}`)
  await admin.api.vault.destroySecretVersion({ ...at, secret, id: '7', body: {} })
  return { ...tenant, secret }
}

/** Counts the rows of a secret: versions, payloads and due work. */
async function rowsOf(place: StorePlace, secret_id: string): Promise<readonly number[]> {
  const store = await openBeside(place, storeCollections(areas))
  try {
    let work = 0
    for await (const { value } of store.each(agenda)) if (value.resource_id.startsWith(secret_id)) work += 1
    return [
      await store.count(secretVersionCollection, { secret_id }),
      await store.count(payloadCollection, { secret_id }),
      work,
    ]
  } finally {
    await store.close()
  }
}

it('the deletion of a secret with many versions erases all of them before its answer', async () => {
  const { admin, at, create, platform, secret } = await manyVersions()
  expect(await rowsOf(platform.config, secret)).toEqual([versions, versions, 2])
  await admin.api.vault.deleteSecret({ ...at, id: secret })
  expect(await rowsOf(platform.config, secret)).toEqual([0, 0, 0])
  expect(await create('password')).not.toBe(secret)
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a server takes over the erasure of a killed server, and the versions of the deleted secret are never found', async () => {
  const { platform, secret, workspace } = await manyVersions()
  await platform.close()
  const store = await openBeside(platform.config, storeCollections(areas))
  // The server was killed between the commit of the deletion and the erasure.
  const taken: number[] = []
  const taxonomy = { consume: async () => void taken.push(1) }
  await store.tx(async tx => {
    const stored = await tx.lock(secretCollection, secret)
    if (!stored) throw new Error('the secret is absent')
    await eraseSecret(tx, taxonomy, stored, Date.now())
  })
  expect([await isErasing(store, secret), taken.length]).toEqual([true, 1])
  await store.close()
  expect(await rowsOf(platform.config, secret)).toEqual([versions, versions, 2])
  // Only the usage, which this test has not changed, differs.
  const usage = [
    `taxonomy.quotas vault.secrets/${workspace}: counts 1, and the workspace has 0 rows; restore the store from a backup`,
  ]
  expect(await doctorFindings(platform.config)).toEqual(usage)
  const next = await testPlatform({ config: platform.config })
  const { api } = await next.admin()
  await expect(api.vault.getSecretVersion({ workspace, engine: 'native', secret, id: '1' })).rejects.toMatchObject({
    reason: 'SECRET_NOT_FOUND',
  })
  await expect.poll(() => rowsOf(platform.config, secret)).toEqual([0, 0, 0])
  expect(await doctorFindings(platform.config)).toEqual(usage)
})

it('the purge of a workspace erases secrets with many versions', async () => {
  const { admin, organisation, platform, secret, workspace } = await manyVersions()
  await admin.api.vault.disableSecretVersion({
    workspace,
    engine: 'native',
    secret,
    id: '7',
    body: { disabled: false },
  })
  await admin.api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await admin.api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(() => rowsOf(platform.config, secret)).toEqual([0, 0, 0])
})
