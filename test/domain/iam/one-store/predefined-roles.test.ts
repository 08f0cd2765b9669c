import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { changes, feedCollections, readRevision } from '../../../../domain/iam/collections/feed-store.ts'
import { predefinedRoles } from '../../../../domain/iam/roles/predefined-roles.ts'
import { rolePermissions, roles } from '../../../../domain/iam/collections/roles-store.ts'
import { permissionsOf, syncPredefinedRoles } from '../../../../domain/iam/roles/sync-roles.ts'
import type { Catalogue } from '../../../../domain/iam/interfaces/catalogue.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import type { Role } from '../../../../output/iam/types.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'
import { testStore } from '../../../server/store/harness.ts'

const golden = new URL('predefined-roles.txt', import.meta.url)
const held = new Map(predefinedRoles.map(({ holds, name }) => [name, new Set(permissionsOf(catalogue, holds))]))

/** Returns a text with every role, the scopes where it can be bound, and its permissions with their class. */
function listing(): string {
  const lines = predefinedRoles.flatMap(({ bindableAt, name }) => [
    `${name} (${bindableAt.join(', ')})`,
    ...[...(held.get(name) ?? [])].map(key => `  ${key} ${catalogue.find(key)?.access_class}`),
  ])
  return `${lines.join('\n')}\n`
}

test('the predefined roles have the listed permissions', () => {
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(golden, listing())
  expect(listing()).toBe(readFileSync(golden, 'utf8'))
})

test.each([
  ['platform-viewer', 'platform-admin'],
  ['organisation-admin', 'platform-admin'],
  ['organisation-viewer', 'organisation-admin'],
  ['group-admin', 'organisation-admin'],
  ['workspace-admin', 'group-admin'],
  ['workspace-editor', 'workspace-admin'],
  ['workspace-viewer', 'workspace-editor'],
  ['security-auditor', 'organisation-admin'],
  ['vault-secret-accessor', 'workspace-admin'],
  ['vault-crypto-user', 'workspace-admin'],
  ['certificate-requester', 'workspace-admin'],
])('%s is within %s, whose holder can grant it', (lower, upper) => {
  expect(held.get(lower)?.size).toBeGreaterThan(0)
  expect([...(held.get(lower) ?? [])].filter(key => !held.get(upper)?.has(key))).toEqual([])
})

test.each([
  ['workspace-viewer', 'vault.secretVersions.access'],
  ['workspace-viewer', 'storage.objects.download'],
  ['workspace-editor', 'vault.cryptoKeys.decrypt'],
  ['workspace-editor', 'iam.policies.update'],
  ['platform-viewer', 'vault.secretVersions.access'],
  ['security-auditor', 'vault.secretVersions.access'],
  ['vault-crypto-user', 'vault.cryptoKeys.rotate'],
])('%s has no %s', (role, key) => {
  expect(catalogue.find(key)).toBeDefined()
  expect(held.get(role)?.has(key)).toBe(false)
})

const sync = (store: Store, of: Catalogue, now: number): Promise<void> =>
  store.tx(tx => syncPredefinedRoles(tx, of, now))

/** Returns the catalogue without the permissions of a service. */
const without = (service: string): Catalogue => ({
  ...catalogue,
  permissions: catalogue.permissions.filter(each => each.service !== service),
})

async function keptPermissions(store: Store, role: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { value } of store.each(rolePermissions, { role_id: role }))
    found.set(value.permission, value.created)
  return found
}

describe('a start', () => {
  test('creates each role with its permissions, and notifies other servers', async () => {
    const store = await testStore(roles, rolePermissions, ...feedCollections)
    await sync(store, catalogue, 1000)
    for (const { name } of predefinedRoles) {
      const permissions = [...(held.get(name) ?? [])]
      expect((await store.get(roles, name))?.value).toMatchObject({ id: name, permissions, role_type: 'PREDEFINED' })
      expect([...(await keptPermissions(store, name)).keys()].sort()).toEqual(permissions)
    }
    expect(await store.count(changes)).toBe(predefinedRoles.length)
  })

  test('does not write roles that are up to date', async () => {
    const store = await testStore(roles, rolePermissions, ...feedCollections)
    await sync(store, catalogue, 1000)
    const before = await readRevision(store)
    await sync(store, catalogue, 2000)
    expect(await readRevision(store)).toBe(before)
    expect((await store.get(roles, 'platform-admin'))?.version).toBe(1)
  })

  test('writes only the changes of a new version, and keeps the times of unchanged permissions', async () => {
    const store = await testStore(roles, rolePermissions, ...feedCollections)
    await sync(store, without('compute'), 1000)
    await sync(store, catalogue, 2000)
    const grown = await keptPermissions(store, 'workspace-viewer')
    expect(grown.get('compute.vms.list')).toBe('1970-01-01T00:00:02.000Z')
    expect(grown.get('vault.secrets.list')).toBe('1970-01-01T00:00:01.000Z')
    const revision = await readRevision(store)
    await sync(store, without('vault'), 3000)
    expect((await keptPermissions(store, 'workspace-viewer')).has('vault.secrets.list')).toBe(false)
    const role = (await store.get(roles, 'workspace-viewer'))?.value
    expect(role).toMatchObject({ created: '1970-01-01T00:00:01.000Z', updated: '1970-01-01T00:00:03.000Z' })
    const told: string[] = []
    for await (const { value } of store.each(changes, {}, String(revision).padStart(16, '0'))) told.push(value.key)
    expect(told).toContain('workspace-viewer')
    expect(told).not.toContain('no-such-role')
  })

  test('leaves custom roles unchanged', async () => {
    const store = await testStore(roles, rolePermissions, ...feedCollections)
    const time = '2026-01-01T00:00:00.000Z'
    const custom: Role = {
      id: '01',
      name: 'mine',
      display_name: '',
      description: '',
      role_type: 'CUSTOM',
      scope_type: 'PLATFORM',
      scope_id: '',
      permissions: ['compute.vms.get'],
      permission_count: 1,
      bindable_scope_types: ['PLATFORM'],
      etag: '1',
      created: time,
      updated: time,
    }
    await store.tx(tx => tx.insert(roles, custom))
    await sync(store, catalogue, 1000)
    expect(await store.get(roles, '01')).toMatchObject({ version: 1 })
  })
})
