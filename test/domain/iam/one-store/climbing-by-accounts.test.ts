import { describe, expect, it } from 'vitest'
import type { StoredUser } from '../../../../domain/iam/collections/users-store.ts'
import { users } from '../../../../domain/iam/collections/users-store.ts'
import type { ParsedInvitationGrant } from '../../../../output/iam/types.ts'
import { heldBy, world, type World } from '../administration.ts'
import { platformScope } from '../rows.ts'
import { refused } from '../calls.ts'
import { outcomeOf, valueOf } from '../../outcomes.ts'

const ttl = { token_ttl: '3600s' }

/**
 * The calls by which a caller could take over an account, keyed by name, each with the required status of the account.
 */
const calls: Readonly<
  Record<string, readonly [StoredUser['status'], (w: World, by: string, id: string) => Promise<unknown>]>
> = {
  resetUserPassword: ['ACTIVE', (w, by, id) => w.users.resetUserPassword({ id, body: ttl }, w.as(by))],
  regenerateActivation: ['INVITED', (w, by, id) => w.users.regenerateActivation({ id, body: ttl }, w.as(by))],
  'updateUser with another email': [
    'ACTIVE',
    (w, by, id) => w.users.updateUser({ id, update_mask: 'email', body: { email: `new-${id}@y.example` } }, w.as(by)),
  ],
  deactivateUser: ['ACTIVE', (w, by, id) => w.users.deactivateUser({ id, body: {} }, w.as(by))],
  reactivateUser: ['DEACTIVATED', (w, by, id) => w.users.reactivateUser({ id, body: {} }, w.as(by))],
}

describe.each(Object.entries(calls))('%s', (_name, [status, call]) => {
  it('is refused to a caller with fewer permissions than the account, and then changes nothing', async () => {
    const w = await world()
    const weak = await w.user('weak', { organisation_id: w.o.id, status })
    const strong = await w.user('strong', { organisation_id: w.o.id, status })
    await w.bind(weak, 'workspace-viewer', w.w)
    await w.bind(strong, 'workspace-viewer', platformScope)
    const before = await w.store.get(users, strong)
    const error = await refused(call(w, w.oz, strong))
    expect(error).toMatchObject({ reason: 'ESCALATION_DENIED', metadata: { permission: 'compute.operations.get' } })
    expect((await w.store.get(users, strong))?.text).toEqual(before?.text)
    expect(await outcomeOf(call(w, w.oz, weak))).toBe('OK')
    expect(await outcomeOf(call(w, w.ada, strong))).toBe('OK')
  })
})

describe('an invitation', () => {
  const invite = (w: World, by: string, ...grants: ParsedInvitationGrant[]) => {
    const who = { email: 'x@y.example', organisation_id: w.o.id, locale: '', time_zone: '', labels: {} }
    return w.users.inviteUser({ body: { ...who, ...ttl, grants } }, w.as(by))
  }
  const of = (role_id: string, { id: scope_id, type: scope_type }: World['o']) => ({
    role_id,
    scope_type,
    scope_id,
    condition: '',
  })

  it('gives only roles that its sender may give, all or none', async () => {
    const w = await world()
    expect(await outcomeOf(invite(w, w.oz, of('workspace-viewer', w.w), of('platform-viewer', platformScope)))).toBe(
      'IAM_PERMISSION_DENIED',
    )
    const lead = await w.user('lead', { organisation_id: w.o.id })
    const body = { name: 'inviter', display_name: '', description: '', scope_type: w.o.type, scope_id: w.o.id }
    const permissions = ['iam.users.invite', 'iam.bindings.create']
    const { resource_id: role } = await valueOf(w.roles.createRole({ body: { ...body, permissions } }, w.as(w.oz)))
    await w.bind(lead, role, w.o)
    expect(await outcomeOf(invite(w, lead, of(role, w.o), of('workspace-viewer', w.w)))).toBe('ESCALATION_DENIED')
    expect(await outcomeOf(invite(w, w.oz, of(role, w.o), of('organisation-admin', w.w)))).toBe(
      'ROLE_NOT_BINDABLE_AT_SCOPE',
    )
    const none = await refused(invite(w, w.oz, of(role, w.o), of('none', w.w)))
    expect(none.details.badRequest).toMatchObject([{ field: 'grants[1].role_id' }])
    expect(await w.store.exists(users, { email: 'x@y.example' })).toBe(false)
    const { resource_id: id } = await valueOf(invite(w, lead, of(role, w.o)))
    expect((await heldBy(w, id)).map(({ role_id }) => role_id)).toEqual([role])
  })

  it('activates only while its sender could give all roles that the account has by then', async () => {
    const w = await world()
    const { credential, resource_id: id } = await valueOf(invite(w, w.oz, of('workspace-viewer', w.w)))
    const look = () =>
      outcomeOf(w.users.lookupCredentialToken({ body: { token: credential?.token ?? '' } }, w.as(w.kim)))
    expect(await look()).toBe('OK')
    const promotion = await w.bind(id, 'workspace-viewer', platformScope)
    expect(await look()).toBe('CREDENTIAL_TOKEN_INVALID')
    await w.bindings.deleteBinding({ id: promotion }, w.as(w.ada))
    expect(await look()).toBe('OK')
    await w.users.deactivateUser({ id: w.oz, body: {} }, w.as(w.ada))
    expect(await look()).toBe('CREDENTIAL_TOKEN_INVALID')
  })
})
