import { describe, expect, it } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import { policies } from '../../../domain/iam/collections/policies-store.ts'
import { policySubjects } from '../../../domain/iam/collections/policy-subjects-store.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { rolePermissions, roles } from '../../../domain/iam/collections/roles-store.ts'
import { purgeScope } from '../../../domain/iam/scope-purge.ts'
import { serviceAccounts } from '../../../domain/iam/collections/service-accounts-store.ts'
import { accessHooks, treeChanges } from '../../../domain/iam/tree-changes.ts'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { subtreeUsage } from '../../../domain/taxonomy/quotas/usage.ts'
import type { Role } from '../../../output/iam/types.ts'
import { works } from '../../../server/operations/work.ts'
import { heldBy, hourly, policyOf, statementOf, world, type World } from './administration.ts'
import { platformScope } from './rows.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

const creates = (w: World, principal: string, scope: Scope) =>
  w.store.tx(async tx => {
    const chain = (await w.parts.taxonomy.chain(tx, scope))?.toReversed() ?? []
    await treeChanges(w.parts).grantCreator(tx, principal, { scope, chain })
  })

const rolesOf = async (w: World, principal: string, scope: Scope) =>
  (await heldBy(w, principal)).filter(({ scope_id }) => scope_id === scope.id).map(({ role_id }) => role_id)

describe('the creator of a scope', () => {
  it('administers the scope', async () => {
    const w = await world()
    await creates(w, w.kim, w.w)
    await creates(w, w.kim, w.o)
    expect(await rolesOf(w, w.kim, w.w)).toEqual(['workspace-admin'])
    expect(await rolesOf(w, w.kim, w.o)).toEqual(['organisation-admin'])
    await creates(w, w.bot, w.w)
    expect(await rolesOf(w, w.bot, w.w)).toEqual(['workspace-admin'])
  })

  it('gets no role whose permissions it already has there permanently and without condition', async () => {
    const w = await world()
    await creates(w, w.oz, w.w)
    await creates(w, w.ada, w.o)
    expect(await rolesOf(w, w.oz, w.w)).toEqual([])
    expect(await rolesOf(w, w.ada, w.o)).toEqual([])
    await w.bind(w.kim, 'workspace-admin', w.g, { condition: 'request.hour_of_day > 1' })
    await w.bind(w.kim, 'workspace-admin', w.o, { expire_time: hourly(w, 1) })
    await creates(w, w.kim, w.w)
    expect(await rolesOf(w, w.kim, w.w)).toEqual(['workspace-admin'])
    await creates(w, systemPrincipalId, w.w)
    expect(await heldBy(w, systemPrincipalId)).toEqual([])
  })
})

describe('the permissions of creators above a new scope', () => {
  it('are those of their roles now, whatever the roles granted before', async () => {
    const w = await world()
    const predefined = await w.store.get(roles, 'workspace-admin')
    if (!predefined) throw new Error('there is no such role')
    const role: Role = { ...predefined.value, id: w.parts.clock.newId(), name: 'all', role_type: 'CUSTOM' }
    await w.store.tx(tx => tx.insert(roles, role))
    await w.bind(w.kim, role.id, w.o)
    const made = async (name: string): Promise<readonly string[]> => {
      const scope = await w.workspace(w.o, name)
      await creates(w, w.kim, scope)
      return rolesOf(w, w.kim, scope)
    }
    expect(await made('held')).toEqual([])
    await w.store.tx(tx => tx.update(roles, role.id, { ...role, permissions: role.permissions.slice(1) }, 1))
    expect(await made('missing')).toEqual(['workspace-admin'])
  })
})

describe('the revision', () => {
  /** Creates a scope; returns the number of times that the revision was locked. `meanwhile` runs before each lock. */
  async function holdsOf(w: World, principal: string, scope: Scope, meanwhile = async (_tx: Transaction) => {}) {
    let holds = 0
    const hold = async (tx: Transaction): Promise<void> => {
      holds += 1
      await meanwhile(tx)
      await w.parts.feed.hold(tx)
    }
    await creates({ ...w, parts: { ...w.parts, feed: { ...w.parts.feed, hold } } }, principal, scope)
    return holds
  }

  it('is locked by creators who get a role there, and not by those who have it already', async () => {
    const w = await world()
    expect(await holdsOf(w, w.oz, w.w)).toBe(0)
    expect(await holdsOf(w, w.kim, w.w)).toBe(1)
  })

  it('is locked before the last read of their permissions, which decides', async () => {
    const w = await world()
    const id = await w.bind(w.kim, 'organisation-admin', w.p)
    const given = async (tx: Transaction): Promise<void> => {
      const stored = await tx.lock(bindings, id)
      if (stored) await tx.update(bindings, id, { ...stored.value, scope_id: w.o.id }, stored.version)
    }
    expect(await holdsOf(w, w.kim, w.w, given)).toBe(1)
    expect(await rolesOf(w, w.kim, w.w)).toEqual([])
  })
})

describe('the role of a creator', () => {
  it('does not count against the limits of bindings', async () => {
    const w = await world()
    for (let i = 0; i < 251; i += 1) await creates(w, w.kim, await w.workspace(w.o, `w${i}`))
    expect(await heldBy(w, w.kim)).toHaveLength(251)
    const at = { scope_type: 'WORKSPACE', scope_id: w.w.id } as const
    const body = { principal_id: w.kim, role_id: 'workspace-viewer', condition: '', ...at }
    expect(await outcomeOf(w.bindings.createBinding({ body }, w.as(w.oz)))).toBe('OK')
  })
})

describe('a change of the tree', () => {
  it('reaches every server, and the end of a group or organisation leads to work', async () => {
    const w = await world()
    const { scopeChanged } = treeChanges(w.parts)
    await w.store.tx(tx => scopeChanged(tx, w.g, 'MOVED'))
    await w.store.tx(tx => scopeChanged(tx, w.w, 'DELETED'))
    expect(await w.store.count(works)).toBe(0)
    await w.store.tx(tx => scopeChanged(tx, w.g, 'DELETED'))
    const scopes = w.changes.filter(({ kind }) => kind === 'SCOPE').map(({ key }) => key)
    expect(scopes).toEqual([w.g.id, w.w.id, w.g.id])
    expect(w.changes).toContainEqual({ kind: 'PRINCIPAL', key: w.eve })
    expect(await w.store.count(bindings, { scope_id: w.w.id })).toBe(0)
    expect(await w.store.count(works)).toBe(1)
  })
})

describe('the end of a scope', () => {
  it('deletes the bindings, policies and service accounts of a workspace', async () => {
    const w = await world()
    await w.bind(w.bot, 'workspace-viewer', w.g)
    for (let i = 0; i < 60; i += 1) await w.bind(await w.user(`u${i}`), 'workspace-viewer', w.w)
    const body = policyOf('p', statementOf('ALLOW', [`principal:${w.kim}`], ['compute.vms.get']))
    await w.policies.createPolicy({ workspace: w.w.id, body }, w.as(w.oz))
    const { holdings, purgeWorkspace } = accessHooks(w.parts)
    expect(await holdings?.(w.store, w.w.id)).toEqual([
      { resourceType: 'iam.policies', count: 1 },
      { resourceType: 'iam.serviceAccounts', count: 0 },
    ])
    expect(await subtreeUsage(w.store, 'iam.serviceAccounts', w.w)).toBe(1)
    w.changes.splice(0)
    for (let twice = 0; twice < 2; twice += 1) await purgeWorkspace?.(w.w.id)
    expect(await holdings?.(w.store, w.w.id)).toEqual([
      { resourceType: 'iam.policies', count: 0 },
      { resourceType: 'iam.serviceAccounts', count: 0 },
    ])
    expect(await w.store.count(bindings, { scope_id: w.w.id })).toBe(0)
    expect(await w.store.count(policies)).toBe(0)
    expect(await w.store.count(policySubjects)).toBe(0)
    expect(await subtreeUsage(w.store, 'iam.policies', w.w)).toBe(0)
    expect(await subtreeUsage(w.store, 'iam.serviceAccounts', w.w)).toBe(0)
    expect((await w.store.get(serviceAccounts, w.bot))?.value).toMatchObject({ status: 'DEACTIVATED', keys: [] })
    expect((await w.store.get(principals, w.bot))?.value.status).toBe('DEACTIVATED')
    expect(w.changes).toContainEqual({ kind: 'PRINCIPAL', key: w.bot })
    expect(w.changes).toContainEqual({ kind: 'POLICY', key: w.w.id })
    expect(await w.store.count(bindings, { principal_id: w.oz })).toBe(1)
  })

  it('ends the roles and users of an organisation, even its last administrator', async () => {
    const w = await world()
    const role = { name: 'r', display_name: '', description: '', permissions: ['compute.vms.get'] }
    const create = async (by: string, { id: scope_id, type: scope_type }: Scope) =>
      (await valueOf(w.roles.createRole({ body: { ...role, scope_type, scope_id } }, w.as(by)))).resource_id
    const [ours, platforms] = [await create(w.oz, w.o), await create(w.ada, platformScope)]
    await purgeScope(w.parts, w.o)
    expect(await w.store.count(roles, { role_type: 'CUSTOM' })).toBe(1)
    expect(await w.store.count(rolePermissions, { role_id: ours })).toBe(0)
    expect(await w.store.count(rolePermissions, { role_id: platforms })).toBe(1)
    expect(await w.store.count(bindings, { scope_id: w.o.id })).toBe(0)
    const status = async (id: string) => (await w.store.get(principals, id))?.value.status
    for (const id of [w.oz, w.eve, w.kim]) expect(await status(id)).toBe('DEACTIVATED')
    for (const id of [w.ada, w.pat]) expect(await status(id)).toBe('ACTIVE')
    expect(await w.store.count(bindings, { scope_id: platformScope.id })).toBe(1)
  })
})
