import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { vaultSettings } from '../../../../server/vault/settings.ts'
import { addMember, roleAt } from '../../../areas/members.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { endedSnapshot, snapshotFile, snapshotNames } from './taken.ts'

it('a snapshot is a file of its owner with a clear header, and holds no payload in clear', async () => {
  const { add, admin, create, platform } = await tenantSecrets()
  await add(await create('database-password'), 's3cr3t-payload')
  const operation = await endedSnapshot(admin.api, { description: 'before the upgrade' })
  expect(operation).toMatchObject({
    status: 'VAULT_OPERATION_STATUS_DONE',
    resource_type: 'vault.snapshots',
  })
  expect(JSON.stringify(operation)).not.toContain(platform.config.dataDir)
  const file = snapshotFile(platform.config, operation.resource_id)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(snapshotNames(platform.config)).toEqual([`vault-${operation.resource_id}.snap`])
  const bytes = readFileSync(file)
  const header: unknown = JSON.parse(bytes.subarray(0, bytes.indexOf(10)).toString())
  expect(header).toMatchObject({
    format: 'ninefold-vault-snapshot-v1',
    snapshot_id: operation.resource_id,
    schema_version: 1,
    description: 'before the upgrade',
    root_key_id: 'root',
  })
  expect(bytes.toString('latin1')).not.toContain('vault_secrets')
  expect((await recordedActivities(platform.config)).at(-1)).toMatchObject({
    action: 'takeSnapshot',
    category: 'ADMIN_WRITE',
    permission: 'vault.snapshots.take',
    resource_id: operation.resource_id,
  })
})

it('one snapshot is taken at a time, and the next may begin once its operation has ended', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => api.vault.takeSnapshot({ body: {} })))
  const begun = results.filter(({ status }) => status === 'fulfilled')
  const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  expect(begun.length).toBeGreaterThan(0)
  for (const reason of refused)
    expect(reason).toMatchObject({
      reason: 'SNAPSHOT_IN_PROGRESS',
      code: 9_009_001,
      response: { status: 409 },
      details: { resource: { type: 'vault.snapshots' } },
    })
  expect(refused.length).toBeGreaterThan(0)
  await expect
    .poll(async () => (await endedSnapshot(api).catch(() => undefined))?.status)
    .toBe('VAULT_OPERATION_STATUS_DONE')
})

it('only principals of the platform with the permission take snapshots', async () => {
  const { admin, organisation, platform } = await tenantSecrets()
  const owner = await addMember(platform, admin.api, {
    email: 'owner@acme.test',
    grants: [roleAt('organisation-admin', 'ORGANISATION', organisation)],
  })
  await expect(owner.api.vault.takeSnapshot({ body: {} })).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
  await expect(platform.as().vault.takeSnapshot({ body: {} })).rejects.toMatchObject({ response: { status: 401 } })
})

it('a sealed server takes no snapshot', async () => {
  const sealed = await testPlatform({ config: { isDev: false } })
  const { api } = await sealed.admin()
  await expect(api.vault.takeSnapshot({ body: {} })).rejects.toMatchObject({ reason: 'VAULT_SEALED', code: 9_000_101 })
})

it('the newest snapshots are kept, and the unfinished files of killed servers are deleted', async () => {
  const given = new GivenSettings().with(vaultSettings['vault.snapshots.keep'], 2)
  const platform = await testPlatform({ config: { given } })
  const { api } = await platform.admin()
  await endedSnapshot(api)
  const orphan = `${snapshotFile(platform.config, '01890000-0000-7000-8000-000000000001')}.part`
  writeFileSync(orphan, 'half')
  const second = await endedSnapshot(api, { verify: false })
  const third = await endedSnapshot(api)
  expect([second.errors, third.errors]).toEqual([[], []])
  const expected = [second, third].map(({ resource_id }) => `vault-${resource_id}.snap`)
  expect(snapshotNames(platform.config)).toEqual(expected)
  writeFileSync(orphan, 'half')
  writeFileSync(join(platform.config.dataDir, 'snapshots', 'notes.txt'), 'mine')
  await testPlatform({ config: platform.config })
  expect(snapshotNames(platform.config)).toEqual(['notes.txt', ...expected])
})

it('a folder that cannot be used fails the operation without its path, and the next snapshot may begin', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  writeFileSync(join(platform.config.dataDir, 'snapshots'), 'a file')
  const operation = await endedSnapshot(api)
  expect(operation).toMatchObject({
    status: 'VAULT_OPERATION_STATUS_ERROR',
    errors: [{ code: 9_009_002, reason: 'SNAPSHOT_WRITE_FAILED' }],
  })
  expect(JSON.stringify(operation)).not.toContain(platform.config.dataDir)
  expect(platform.lines.join('\n')).toContain('a snapshot of the vault failed (write)')
  expect((await endedSnapshot(api)).errors).toHaveLength(1)
})
