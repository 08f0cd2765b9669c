import { describe, expect, it } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import { requireOtherAdministrator } from '../../../domain/iam/grants/escalation.ts'
import { principals, writePrincipal } from '../../../domain/iam/collections/principals-store.ts'
import { roles } from '../../../domain/iam/collections/roles-store.ts'
import { groups, trees } from '../../../domain/taxonomy/tree/nodes.ts'
import { heldBy, hourly, policyOf, statementOf, world, type World } from './administration.ts'
import { platformScope } from './rows.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

type Call = () => Promise<unknown>

/**
 * Runs both calls concurrently and starts the second call first in every other round; returns the outcome of each call.
 */
async function atOnce(round: number, one: Call, other: Call): Promise<[string, string]> {
  const isSwapped = round % 2 === 1
  const [first, second] = isSwapped ? [other, one] : [one, other]
  const outcomes = await Promise.all([outcomeOf(first()), outcomeOf(second())])
  return isSwapped ? [outcomes[1], outcomes[0]] : outcomes
}

const create = (w: World, by: string, principal_id: string, role_id: string, scope: Scope) => {
  const body = { principal_id, role_id, scope_type: scope.type, scope_id: scope.id, condition: '' }
  return w.bindings.createBinding({ body }, w.as(by))
}

const drop = (w: World, by: string, id: string) => w.bindings.deleteBinding({ id }, w.as(by))

/** The ways in which a user stops being an administrator at a scope. */
const removals: readonly ((
  w: World,
  by: string,
  of: { principal: string; binding: string; scope: Scope },
) => Promise<unknown>)[] = [
  (w, by, { binding }) => drop(w, by, binding),
  (w, by, { principal, scope: { id, type }, binding }) =>
    type === 'PLATFORM'
      ? drop(w, by, binding)
      : w.access.revokeAccess(
          { scope_type: type, scope_id: id, body: { principal_id: principal, role_ids: [] } },
          w.as(by),
        ),
  (w, by, { principal, scope: { id, type }, binding }) => {
    if (type === 'PLATFORM') return drop(w, by, binding)
    const body = { principal_id: principal, role_ids: ['organisation-admin'], condition: '', expire_time: hourly(w, 1) }
    return w.access.grantAccess({ scope_type: type, scope_id: id, body }, w.as(by))
  },
  // This transaction does the same as the deactivation of a user.
  (w, by, { principal }) =>
    w.store.tx(async tx => {
      await w.parts.feed.hold(tx)
      await requireOtherAdministrator(tx, w.parts, w.as(by), { id: principal })
      const stored = await tx.get(principals, principal)
      if (stored) await writePrincipal(tx, { ...stored.value, status: 'DEACTIVATED' })
    }),
]

describe('two administrators who remove each other concurrently', () => {
  it.each([
    ['an organisation', 'organisation-admin'],
    ['the platform', 'platform-admin'],
  ])('keep one administrator of %s', async (_what, role) => {
    const w = await world()
    const scope = role === 'platform-admin' ? platformScope : await w.organisation('raced')
    if (scope === platformScope) await w.store.tx(tx => removeAll(tx, w.ada))
    for (let round = 0; round < 200; round += 1) {
      const pair = [await w.user(`a${round}`), await w.user(`b${round}`)]
      const [a = '', b = ''] = pair
      const of = { [a]: await w.bind(a, role, scope), [b]: await w.bind(b, role, scope) }
      const by = (remover: string, principal: string, way: number) => () =>
        removals[way % removals.length]?.(w, remover, { principal, binding: of[principal] ?? '', scope }) ??
        Promise.resolve()
      const outcomes = await atOnce(round, by(a, b, round >> 1), by(b, a, round >> 3))
      // The losing call is refused because its caller is no longer an administrator, or because the other user is the
      // last administrator.
      expect(outcomes.filter(each => each === 'OK')).toHaveLength(1)
      expect(['LAST_ADMINISTRATOR', 'ESCALATION_DENIED']).toContain(outcomes.find(each => each !== 'OK'))
      await w.store.tx(async tx => {
        await removeAll(tx, a)
        await removeAll(tx, b)
      })
    }
  })
})

async function removeAll(tx: Parameters<Parameters<World['store']['tx']>[0]>[0], principal: string): Promise<void> {
  for await (const { id, version } of tx.each(bindings, { principal_id: principal }))
    await tx.delete(bindings, id, version)
}

/**
 * The calls that use the rights of a grantor, keyed by operation. `key` returns the key of the change by whose revision
 * the test orders the grant and the demotion.
 */
const givings: Readonly<
  Record<string, (w: World, giver: string, round: number) => Promise<{ call: Call; key: () => string }>>
> = {
  createBinding: async (w, giver, round) => {
    const to = await w.user(`to${round}`)
    return { call: () => create(w, giver, to, 'workspace-editor', w.w), key: () => to }
  },
  grantAccess: async (w, giver, round) => {
    const to = await w.user(`to${round}`)
    const body = { principal_id: to, role_ids: ['workspace-editor'], condition: '' }
    const request = { scope_type: 'WORKSPACE', scope_id: w.w.id, body } as const
    return { call: () => w.access.grantAccess(request, w.as(giver)), key: () => to }
  },
  createPolicy: async (w, giver, round) => {
    const at = await w.workspace(w.o, `at${round}`)
    const body = policyOf('p', statementOf('ALLOW', [`principal:${giver}`], ['compute.*']))
    return { call: () => w.policies.createPolicy({ workspace: at.id, body }, w.as(giver)), key: () => at.id }
  },
  createRole: async (w, giver, round) => {
    const owner = { scope_type: w.o.type, scope_id: w.o.id }
    const body = { name: `r${round}`, display_name: '', description: '', permissions: ['compute.vms.get'], ...owner }
    let id = ''
    const call = async () => void ({ resource_id: id } = await valueOf(w.roles.createRole({ body }, w.as(giver))))
    return { call, key: () => id }
  },
  addRolePermission: async (w, giver, round) => {
    const owner = { scope_type: w.o.type, scope_id: w.o.id }
    const role = { name: `r${round}`, display_name: '', description: '', permissions: [], ...owner }
    const { resource_id: id } = await valueOf(w.roles.createRole({ body: role }, w.as(w.oz)))
    w.revised.delete(id)
    const request = { role: id, body: { permission: 'compute.vms.get' } }
    return { call: () => w.roles.addRolePermission(request, w.as(giver)), key: () => id }
  },
}

describe('a grant during the demotion of its grantor', () => {
  it.each(Object.keys(givings))('succeeds only before the demotion: %s', async name => {
    const w = await world()
    const seen = new Set<string>()
    for (let round = 0; round < 40; round += 1) {
      const giver = await w.user(`giver${round}`)
      const binding = await w.bind(giver, 'organisation-admin', w.o)
      const giving = await givings[name]?.(w, giver, round)
      if (giving === undefined) throw new Error(`there is no grant "${name}"`)
      const demote = async () => {
        // A grant begins with several reads; without as many reads here, the demotion would always come first.
        for (let reads = 0; reads < (round >> 1) % 20; reads += 1) await w.store.get(principals, giver)
        return drop(w, w.oz, binding)
      }
      const [given, demoted] = await atOnce(round, giving.call, demote)
      expect(demoted).toBe('OK')
      seen.add(given)
      const [when = 0, end = 0] = [w.revised.get(giving.key()), w.revised.get(giver)]
      if (given === 'OK') expect(when).toBeLessThan(end)
      else expect([given, when]).toEqual(['ESCALATION_DENIED', 0])
    }
    expect([...seen].sort()).toEqual(['ESCALATION_DENIED', 'OK'])
  })
})

describe('of concurrent calls', () => {
  it('either the deletion or the grant of a role succeeds', async () => {
    const w = await world()
    for (let round = 0; round < 40; round += 1) {
      const owner = { scope_type: w.o.type, scope_id: w.o.id }
      const body = { name: `r${round}`, display_name: '', description: '', permissions: [], ...owner }
      const { resource_id: id } = await valueOf(w.roles.createRole({ body }, w.as(w.oz)))
      const to = await w.user(`to${round}`)
      const outcomes = await atOnce(
        round,
        () => w.roles.deleteRole({ id }, w.as(w.oz)),
        () => create(w, w.oz, to, id, w.w),
      )
      expect([
        ['OK', 'ROLE_NOT_FOUND'],
        ['ROLE_IN_USE', 'OK'],
      ]).toContainEqual(outcomes)
      expect(await w.store.exists(roles, { id })).toBe(await w.store.exists(bindings, { role_id: id }))
    }
  })

  it('either an administrative permission of a role or its binding to a service account at the platform succeeds', async () => {
    const w = await world()
    for (let round = 0; round < 40; round += 1) {
      const body = { name: `r${round}`, display_name: '', description: '', permissions: [], scope_id: '' }
      const create_ = w.roles.createRole({ body: { ...body, scope_type: 'PLATFORM' } }, w.as(w.ada))
      const { resource_id: role } = await valueOf(create_)
      const outcomes = await atOnce(
        round,
        () => w.roles.addRolePermission({ role, body: { permission: 'iam.bindings.create' } }, w.as(w.ada)),
        () => create(w, w.ada, w.bot, role, platformScope),
      )
      expect(outcomes.toSorted()).toEqual(['OK', 'PRINCIPAL_KIND_NOT_BINDABLE'])
    }
  })

  it('one creates the binding of a principal, role and scope, and all grants of it succeed', async () => {
    const w = await world()
    for (let round = 0; round < 40; round += 1) {
      const to = await w.user(`to${round}`)
      const binding = () => create(w, w.oz, to, 'workspace-viewer', w.w)
      const body = { principal_id: to, role_ids: ['workspace-viewer'], condition: '' }
      const request = { scope_type: 'WORKSPACE', scope_id: w.w.id, body } as const
      const grant = () => w.access.grantAccess(request, w.as(w.oz))
      if (round % 4 < 2) {
        expect((await atOnce(round, binding, binding)).toSorted()).toEqual(['BINDING_ALREADY_EXISTS', 'OK'])
      } else expect(await atOnce(round, grant, grant)).toEqual(['OK', 'OK'])
      expect(await heldBy(w, to)).toHaveLength(1)
    }
  })

  it('no grant at a scope succeeds after its suspension', async () => {
    const w = await world()
    const seen = new Set<string>()
    for (let round = 0; round < 40; round += 1) {
      const group = await w.group(w.o, `g${round}`)
      const scope = await w.workspace(w.o, `in-g${round}`, group)
      let answered = -1
      const suspend = async () => {
        for (let reads = 0; reads < (round >> 1) % 10; reads += 1) await w.store.get(trees, w.o.id)
        await w.store.tx(async tx => {
          await tx.lock(trees, w.o.id)
          const stored = await tx.get(groups, group.id)
          const state = 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED' as const
          if (stored) await tx.update(groups, group.id, { ...stored.value, state }, stored.version)
        })
        answered = await w.store.count(bindings, { scope_id: scope.id })
      }
      const [given] = await atOnce(round, () => create(w, w.oz, w.kim, 'workspace-viewer', scope), suspend)
      expect([given, answered]).toEqual(given === 'OK' ? ['OK', 1] : ['WORKSPACE_NOT_ACTIVE', 0])
      seen.add(given)
    }
    expect([...seen].sort()).toEqual(['OK', 'WORKSPACE_NOT_ACTIVE'])
  })

  it('one gets the last room below a limit', async () => {
    const w = await world()
    const at = await Promise.all(Array.from({ length: 252 }, (_, i) => w.workspace(w.o, `w${i}`)))
    for (const scope of at.slice(0, 249)) await w.bind(w.kim, 'workspace-viewer', scope)
    for (let round = 0; round < 20; round += 1) {
      const give = (i: number) => () => create(w, w.oz, w.kim, 'workspace-viewer', at[249 + i] ?? w.w)
      expect((await atOnce(round, give(0), give(1))).toSorted()).toEqual(['BINDING_QUOTA_EXCEEDED', 'OK'])
      const extra = (await heldBy(w, w.kim)).find(({ scope_id }) => at.findIndex(({ id }) => id === scope_id) >= 249)
      await drop(w, w.oz, extra?.id ?? '')
    }
  })
})
