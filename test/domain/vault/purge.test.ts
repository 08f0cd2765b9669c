import { expect, it } from 'vitest'
import { payloadCollection, secretVersionCollection } from '../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../domain/vault/secrets/secrets-store.ts'
import { workspaceKeys } from '../../../domain/vault/seal/seal-store.ts'
import { agenda } from '../../../domain/vault/work/agenda.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantSecrets } from './tenant-secrets.ts'

it('a workspace with secrets is not empty, a scheduled destruction protects it, and its purge deletes all rows', async () => {
  const { add, admin, at, create, organisation, platform, workspace } = await tenantSecrets()
  const { taxonomy, vault } = admin.api
  const secret = await create('database-password', {
    version_destroy_delay: '86400s',
    rotation: { rotation_period: '86400s' },
    ttl: '86400s',
  })
  await create('second')
  await add(secret, 'one')
  await add(secret, 'two')
  await vault.destroySecretVersion({ ...at, secret, id: '1', body: {} })
  await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  const remove = (force: boolean) => taxonomy.deleteWorkspace({ organisation, id: workspace, force })
  await expect(remove(false)).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_EMPTY',
    details: { precondition: expect.arrayContaining([expect.objectContaining({ type: 'vault.secrets' })]) },
  })
  await expect(remove(true)).rejects.toMatchObject({ reason: 'WORKSPACE_PROTECTED' })
  await taxonomy.restoreWorkspace({ organisation, id: workspace, body: {} })
  await vault.disableSecretVersion({ ...at, secret, id: '1', body: { disabled: false } })
  await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  const deleted = await remove(true)
  await expect.poll(async () => isEnded(await taxonomy.getOperation(deleted)), { timeout: 30_000 }).toBe(true)
  expect(await taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  const store = await openBeside(platform.config, storeCollections(areas))
  const where = { workspace_id: workspace }
  expect([
    await store.count(secretCollection, where),
    await store.count(secretVersionCollection, where),
    await store.count(payloadCollection, where),
    await store.count(agenda, where),
    await store.count(workspaceKeys, { id: workspace }),
  ]).toEqual([0, 0, 0, 0, 0])
  await store.close()
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a suspended workspace answers metadata only, and refuses all changes', async () => {
  const { add, admin, at, create, organisation, read, workspace } = await tenantSecrets()
  const { taxonomy, vault } = admin.api
  const secret = await create('database-password')
  await add(secret, 'one')
  await taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
  const refused = { reason: 'WORKSPACE_NOT_ACTIVE', code: 9_000_004 }
  await expect(read(secret, '1')).rejects.toMatchObject(refused)
  await expect(add(secret, 'two')).rejects.toMatchObject(refused)
  await expect(create('second')).rejects.toMatchObject(refused)
  await expect(vault.deleteSecret({ ...at, id: secret })).rejects.toMatchObject(refused)
  await expect(vault.destroySecretVersion({ ...at, secret, id: '1', body: {} })).rejects.toMatchObject(refused)
  const view = 'VAULT_SECRET_VERSION_VIEW_BASIC'
  expect(await vault.getSecretVersion({ ...at, secret, id: '1', view })).toMatchObject({ id: '1' })
  await taxonomy.resumeWorkspace({ organisation, id: workspace, body: {} })
  expect(await read(secret, '1')).toBe('one')
})
