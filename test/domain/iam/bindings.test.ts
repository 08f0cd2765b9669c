import { describe, expect, it } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import { sweepBindings } from '../../../domain/iam/grants/expired-bindings.ts'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { groups } from '../../../domain/taxonomy/tree/nodes.ts'
import { bindingsList } from '../../../output/iam/filters.ts'
import type { Binding, ParsedBinding } from '../../../output/iam/types.ts'
import { allOf, listing, refused } from './calls.ts'
import { heldBy, world, type World } from './administration.ts'
import { platformScope } from './rows.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

const create = (
  w: World,
  by: string,
  principal_id: string,
  role_id: string,
  { id: scope_id, type: scope_type }: Scope,
  more: Partial<ParsedBinding> = {},
) =>
  w.bindings.createBinding({ body: { principal_id, role_id, scope_type, scope_id, condition: '', ...more } }, w.as(by))

const inMinutes = (w: World, minutes: number) => new Date(w.now() + minutes * 60_000).toISOString()

const suspended = { state: 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED' } as const

describe('bindings', () => {
  it('are created, read, listed and deleted', async () => {
    const w = await world()
    const operation = await valueOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w, { expire_time: inMinutes(w, 5) }))
    expect(operation).toMatchObject({
      operation_type: 'IAM_OPERATION_TYPE_CREATE',
      resource_type: 'iam.bindings',
      scope_type: 'IAM_SCOPE_TYPE_WORKSPACE',
      scope_id: w.w.id,
    })
    const id = operation.resource_id
    const binding = await valueOf(w.bindings.getBinding({ id }))
    expect(binding).toMatchObject({ principal_id: w.kim, principal_kind: 'USER', created_by: w.oz, etag: '1' })
    expect(w.changes).toEqual([{ kind: 'PRINCIPAL', key: w.kim }])
    const seen = await allOf(context => w.bindings.listBindings({}, context), w.as(w.oz), bindingsList, {
      page_size: 1,
    })
    expect(seen.map(({ scope_id }) => scope_id).toSorted()).toEqual([w.w.id, w.w.id, w.o.id].toSorted())
    const created = seen.map(each => each.created)
    expect(created).toEqual(created.toSorted().toReversed())
    const all = await allOf(context => w.bindings.listBindings({}, context), w.as(w.ada), bindingsList, {
      page_size: 2,
    })
    expect(all).toHaveLength(5)
    const stranger = await w.user('stranger')
    expect(await outcomeOf(w.bindings.listBindings({}, listing(w.as(stranger), bindingsList)))).toBe(
      'IAM_PERMISSION_DENIED',
    )
    expect(await outcomeOf(w.bindings.deleteBinding({ id, etag: 'x' }, w.as(w.oz)))).toBe('ETAG_MISMATCH')
    await w.bindings.deleteBinding({ id, etag: '1' }, w.as(w.oz))
    expect(await refused(w.bindings.getBinding({ id }))).toMatchObject({
      reason: 'BINDING_NOT_FOUND',
      rpc: 'NOT_FOUND',
    })
    expect(await outcomeOf(w.bindings.deleteBinding({ id }, w.as(w.oz)))).toBe('BINDING_NOT_FOUND')
  })

  it.each<[string, string, (w: World) => Promise<unknown>]>([
    ['SCOPE_NOT_FOUND', 'scope_id', w => create(w, w.ada, w.kim, 'workspace-viewer', { type: 'GROUP', id: w.kim })],
    ['PRINCIPAL_NOT_FOUND', 'principal_id', w => create(w, w.ada, w.w.id, 'workspace-viewer', w.w)],
    ['ROLE_NOT_FOUND', 'role_id', w => create(w, w.ada, w.kim, 'no-such-role', w.w)],
    ['CONDITION_INVALID', 'condition', w => create(w, w.ada, w.kim, 'workspace-viewer', w.w, { condition: 'a = 1' })],
    [
      'FIELD_INVALID',
      'expire_time',
      w => create(w, w.ada, w.kim, 'workspace-viewer', w.w, { expire_time: inMinutes(w, 1) }),
    ],
    ['FIELD_INVALID', 'scope_id', w => create(w, w.ada, w.kim, 'platform-admin', { type: 'PLATFORM', id: w.o.id })],
    ['FIELD_INVALID', 'scope_id', w => create(w, w.ada, w.kim, 'workspace-viewer', { type: 'GROUP', id: '' })],
  ])('report the field of %s: %s', async (reason, field, call) => {
    const error = await refused(call(await world()))
    expect(error).toMatchObject({ reason, rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field }] } })
  })

  it.each<[string, (w: World) => Promise<unknown>]>([
    ['ROLE_NOT_BINDABLE_AT_SCOPE', w => create(w, w.ada, w.kim, 'organisation-admin', w.w)],
    ['PRINCIPAL_KIND_NOT_BINDABLE', w => create(w, w.ada, systemPrincipalId, 'workspace-viewer', w.w)],
    ['PRINCIPAL_KIND_NOT_BINDABLE', w => create(w, w.ada, w.bot, 'platform-admin', platformScope)],
    ['PRINCIPAL_KIND_NOT_BINDABLE', w => create(w, w.ada, w.bot, 'workspace-admin', platformScope)],
    ['BINDING_ALREADY_EXISTS', w => create(w, w.ada, w.eve, 'workspace-editor', w.w)],
  ])('are refused with %s', async (reason, call) => {
    expect(await outcomeOf(call(await world()))).toBe(reason)
  })

  it('cannot give service accounts administrative roles at the platform, but can give INVITED users every role', async () => {
    const w = await world()
    const invited = await w.user('new', { status: 'INVITED' })
    expect(await outcomeOf(create(w, w.ada, w.bot, 'workspace-viewer', platformScope))).toBe('OK')
    expect(await outcomeOf(create(w, w.ada, w.bot, 'workspace-admin', w.w))).toBe('OK')
    expect(await outcomeOf(create(w, w.ada, invited, 'platform-admin', platformScope))).toBe('OK')
  })

  it('cannot be created at inactive scopes, but can be deleted there', async () => {
    const w = await world()
    const id = await w.bind(w.kim, 'workspace-viewer', w.w)
    await w.store.tx(async tx => {
      const stored = await tx.lock(groups, w.g.id)
      if (stored) await tx.update(groups, stored.id, { ...stored.value, ...suspended }, stored.version)
    })
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-editor', w.w))).toBe('WORKSPACE_NOT_ACTIVE')
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-editor', w.g))).toBe('SCOPE_NOT_ACTIVE')
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-editor', w.o))).toBe('OK')
    expect(await outcomeOf(w.bindings.deleteBinding({ id }, w.as(w.oz)))).toBe('OK')
    const at = { scope_type: 'WORKSPACE', scope_id: w.w.id } as const
    const of = { principal_id: w.eve, role_ids: [] }
    expect(await outcomeOf(w.access.revokeAccess({ ...at, body: of }, w.as(w.oz)))).toBe('OK')
    const granted = { scope_type: 'GROUP', scope_id: w.g.id } as const
    const body = { principal_id: w.kim, role_ids: ['workspace-viewer'], condition: '' }
    expect(await outcomeOf(w.access.grantAccess({ ...granted, body }, w.as(w.oz)))).toBe('SCOPE_NOT_ACTIVE')
  })

  it('end at the instant of their expiry, and a new binding can take their place', async () => {
    const w = await world()
    const terms = { expire_time: inMinutes(w, 2) }
    await create(w, w.oz, w.kim, 'workspace-viewer', w.w, terms)
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w))).toBe('BINDING_ALREADY_EXISTS')
    w.later(120_000)
    expect(await heldBy(w, w.kim)).toEqual([])
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w))).toBe('OK')
    expect(await w.store.count(bindings, { principal_id: w.kim })).toBe(1)
  })

  it('are deleted once they have expired', async () => {
    const w = await world()
    for (let i = 0; i < 120; i += 1) {
      const workspace = { type: 'WORKSPACE', id: w.parts.clock.newId() } as const
      await w.bind(w.kim, 'workspace-viewer', workspace, { expire_time: inMinutes(w, i < 110 ? 1 : 10) })
    }
    w.later(60_000)
    const { signal } = new AbortController()
    await sweepBindings({ signal, tx: fn => w.store.tx(fn) }, w.now())
    expect(await w.store.count(bindings, { principal_id: w.kim })).toBe(10)
    expect(await heldBy(w, w.oz)).toHaveLength(1)
  })

  it('are limited to 250 of a principal in one organisation', async () => {
    const w = await world()
    await fill(w, 250, async i => ({ scope: await w.workspace(w.o, `w${i}`), principal: w.kim }))
    const refusal = await refused(create(w, w.oz, w.kim, 'workspace-viewer', w.w))
    expect(refusal).toMatchObject({ reason: 'BINDING_QUOTA_EXCEEDED', rpc: 'RESOURCE_EXHAUSTED' })
    expect(await outcomeOf(create(w, w.pat, w.kim, 'workspace-viewer', w.v))).toBe('OK')
    expect(await outcomeOf(create(w, w.ada, w.kim, 'workspace-viewer', platformScope))).toBe('OK')
    const [one] = await heldBy(w, w.kim)
    await w.bindings.deleteBinding({ id: one?.id ?? '' }, w.as(w.oz))
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w))).toBe('OK')
  })

  it('are limited to 1500 at a scope, without the expired ones', async () => {
    const w = await world()
    const soon = inMinutes(w, 1)
    await fill(w, 1499, async i => ({
      scope: w.w,
      principal: w.parts.clock.newId(),
      ...(i < 2 && { terms: { expire_time: soon } }),
    }))
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w))).toBe('BINDING_QUOTA_EXCEEDED')
    w.later(60_000)
    expect(await outcomeOf(create(w, w.oz, w.kim, 'workspace-viewer', w.w))).toBe('OK')
  })

  it('leave the platform and each organisation an active administrator', async () => {
    const w = await world()
    const of = async (principal: string) => (await heldBy(w, principal))[0]?.id ?? ''
    const remove = async (by: string, principal: string) =>
      outcomeOf(w.bindings.deleteBinding({ id: await of(principal) }, w.as(by)))
    expect(await remove(w.ada, w.ada)).toBe('LAST_ADMINISTRATOR')
    const asleep = await w.user('asleep', { status: 'INVITED' })
    await w.bind(asleep, 'platform-admin', platformScope)
    expect(await remove(w.ada, w.ada)).toBe('LAST_ADMINISTRATOR')
    expect(await remove(w.ada, asleep)).toBe('OK')
    const brief = await w.user('brief')
    await w.bind(brief, 'platform-admin', platformScope, { expire_time: inMinutes(w, 5) })
    expect(await remove(w.ada, w.ada)).toBe('LAST_ADMINISTRATOR')
    expect(await remove(w.oz, w.oz)).toBe('LAST_ADMINISTRATOR')
    expect(await remove(w.ada, w.oz)).toBe('OK')
  })
})

/** Inserts the rows of `count` bindings without any checks. */
async function fill(
  w: World,
  count: number,
  each: (i: number) => Promise<{ scope: Scope; principal: string; terms?: Partial<Binding> }>,
): Promise<void> {
  const made: Awaited<ReturnType<typeof each>>[] = []
  for (let i = 0; i < count; i += 1) made.push(await each(i))
  const time = new Date(w.now()).toISOString()
  await w.store.tx(async tx => {
    for (const { principal, scope, terms } of made) {
      await tx.insert(bindings, {
        id: w.parts.clock.newId(),
        principal_id: principal,
        principal_kind: 'USER',
        role_id: 'workspace-viewer',
        scope_type: scope.type,
        scope_id: scope.id,
        condition: '',
        created_by: principal,
        etag: '1',
        created: time,
        updated: time,
        ...terms,
      })
    }
  })
}
