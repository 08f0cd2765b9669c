import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import { feedCollections } from '../../../domain/iam/collections/feed-store.ts'
import { policies } from '../../../domain/iam/collections/policies-store.ts'
import { predefinedRoles } from '../../../domain/iam/roles/predefined-roles.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { roles } from '../../../domain/iam/collections/roles-store.ts'
import { roleOf } from '../../../domain/iam/roles/sync-roles.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import type { PolicyStatement } from '../../../output/iam/types.ts'
import { catalogue } from '../../../server/access/catalogue.ts'
import { createClock } from '../../../server/clock.ts'
import { openSqlite, type SqliteStore } from '../../../server/store/sqlite.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

export const clock = createClock()
export const time = new Date(clock.now()).toISOString()
export const texts = { display_name: '', description: '', labels: {} }
const stamps = { etag: '1', created: time, updated: time }

/** Returns an id of a kind by its number; all ids of a kind have the same length. */
export const id = (kind: string, n: number): string =>
  `${kind}-${String(n).padStart(8, '0')}-0000-7000-8000-000000000000`

/** Opens a SQLite file with the tables on which access depends, and the predefined roles. */
export async function accessStore(): Promise<{ readonly store: SqliteStore; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-authz-'))
  const collections = [...taxonomyCollections, ...feedCollections, bindings, policies, principals, roles]
  const store = await openSqlite({ file: join(folder, 'store.sqlite'), collections })
  await store.tx(async tx => {
    for (const role of predefinedRoles) await tx.insert(roles, roleOf(catalogue, role, time))
  })
  return {
    store,
    async close() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function addUser(tx: Transaction, user: string): Promise<void> {
  const named = { display_name: '', email: `${user}@corp.example`, name: '', organisation_id: '', workspace_id: '' }
  await tx.insert(principals, { id: user, kind: 'USER', ...named, status: 'ACTIVE', created: time, updated: time })
}

export async function addBinding(
  tx: Transaction,
  key: string,
  user: string,
  role: string,
  scope: Scope,
): Promise<void> {
  await tx.insert(bindings, {
    id: key,
    principal_id: user,
    principal_kind: 'USER',
    role_id: role,
    scope_type: scope.type,
    scope_id: scope.id,
    condition: '',
    created_by: '',
    ...stamps,
  })
}

export async function addPolicy(
  tx: Transaction,
  key: string,
  workspace: Scope,
  statements: readonly PolicyStatement[],
): Promise<void> {
  const policy = { id: key, workspace_id: workspace.id, name: key, ...texts, enabled: true, created_by: '', ...stamps }
  await tx.insert(policies, { ...policy, statements: [...statements] })
}
