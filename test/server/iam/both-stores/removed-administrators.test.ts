import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { AccessSources } from '../../../../server/access/platform-access.ts'
import { addMember, roleAt, type Member } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { outcomeOf } from '../../../domain/outcomes.ts'
import { openQuickIam } from '../quick-iam.ts'

interface Target {
  readonly organisation: string
  readonly principal: string
  readonly binding: string
}

/** One end for all grants, so that a caller whose own role has this end may give the role until then. */
const expire_time = new Date(Date.now() + 3_600_000).toISOString()

/** The calls by which an administrator of an organisation removes another administrator. */
const removals: Readonly<Record<string, (api: Ninefold, target: Target) => Promise<unknown>>> = {
  deleteBinding: (api, { binding }) => api.iam.deleteBinding({ id: binding }),
  revokeAccess: (api, { organisation, principal }) =>
    api.iam.revokeAccess({
      scope_type: 'ORGANISATION',
      scope_id: organisation,
      body: { principal_id: principal, role_ids: [] },
    }),
  grantAccess: (api, { organisation, principal }) =>
    api.iam.grantAccess({
      scope_type: 'ORGANISATION',
      scope_id: organisation,
      body: {
        principal_id: principal,
        role_ids: ['organisation-admin'],
        expire_time,
      },
    }),
  deactivateUser: (api, { principal }) => api.iam.deactivateUser({ id: principal, body: {} }),
}

/** The refusals of the loser, keyed by call, if the loser is not simply denied. */
const refusals: Readonly<Record<string, readonly string[]>> = {
  // The token of a deactivated caller is refused, if the call begins after the deactivation.
  deactivateUser: ['IAM_PERMISSION_DENIED', 'TOKEN_REVOKED'],
  // The loser still has the role, until its end, and so the permission.
  grantAccess: ['LAST_ADMINISTRATOR'],
}

/**
 * Begins calls while a transaction is open, and ends the transaction some turns of the event loop later. On SQLite, all
 * calls are then authorized before the first of them writes.
 */
async function behindTransaction<R>([sources]: readonly AccessSources[], begin: () => Promise<R>): Promise<R> {
  const open = Promise.withResolvers<void>()
  const transaction = sources?.store.tx(() => open.promise)
  const begun = begin()
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  open.resolve()
  await transaction
  return begun
}

it('of two administrators who remove each other, one call succeeds and the other is denied', async () => {
  const given: AccessSources[] = []
  const platform = await testPlatform({
    openAccess(sources) {
      given.push(sources)
      return openQuickIam(sources)
    },
  })
  const admin = await platform.admin()
  const { api } = admin
  for (let round = 0; round < 8; round += 1) {
    const way = Object.keys(removals)[round % 4] ?? ''
    const { resource_id: organisation } = await api.taxonomy.createOrganisation({ body: { name: `raced-${round}` } })
    const member = (word: string): Promise<Member> =>
      addMember(platform, api, {
        email: `${word}@raced-${round}.example`,
        organisation_id: organisation,
        grants: [roleAt('organisation-admin', 'ORGANISATION', organisation)],
      })
    const [one, other] = [await member('one'), await member('other')]
    const bindingOf = async (principal: string): Promise<string> => {
      const { bindings } = await api.iam.listBindings({
        filter: `scope_id = ${organisation} AND principal_id = ${principal}`,
      })
      return bindings[0]?.id ?? ''
    }
    // The creator administers the organisation too, and is removed first.
    const own = await bindingOf(admin.id)
    if (own !== '') await one.api.iam.deleteBinding({ id: own })
    const targets = await Promise.all(
      [one, other].map(async ({ id }) => ({ organisation, principal: id, binding: await bindingOf(id) })),
    )
    const remove = async (by: Member, target: Target | undefined): Promise<string> => {
      if (target === undefined) throw new Error('there is no target')
      return outcomeOf((removals[way] ?? (async () => undefined))(by.api, target))
    }
    const both = (): Promise<string[]> => Promise.all([remove(one, targets[1]), remove(other, targets[0])])
    const outcomes = round % 8 < 4 ? await behindTransaction(given, both) : await both()
    expect(outcomes, way).toContain('OK')
    expect(refusals[way] ?? ['IAM_PERMISSION_DENIED'], way).toContain(outcomes.find(outcome => outcome !== 'OK'))
  }
})

it('the last administrator of an organisation still learns that nobody would be left', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { resource_id: organisation } = await api.taxonomy.createOrganisation({ body: { name: 'lone' } })
  const lone = await addMember(platform, api, {
    email: 'lone@lone.example',
    organisation_id: organisation,
    grants: [roleAt('organisation-admin', 'ORGANISATION', organisation)],
  })
  const { bindings } = await api.iam.listBindings({ filter: `scope_id = ${organisation}` })
  for (const { id, principal_id } of bindings) {
    if (principal_id !== lone.id) await lone.api.iam.deleteBinding({ id })
  }
  const own = bindings.find(({ principal_id }) => principal_id === lone.id)
  expect(await outcomeOf(lone.api.iam.deleteBinding({ id: own?.id ?? '' }))).toBe('LAST_ADMINISTRATOR')
})
