import type { Aim, Caller } from '../../aim.ts'
import type { Fault } from '../../recipe.ts'
import type { World } from '../../world.ts'

/** Binds a role at an organisation, or at the platform; returns the id of the binding. */
export function bind({ run }: World, principal_id: string, role_id: string, organisation = ''): Promise<string> {
  const scope_type = organisation === '' ? 'PLATFORM' : 'ORGANISATION'
  return run('createBinding', { body: { principal_id, role_id, scope_type, scope_id: organisation } })
}

/** Creates a user who administers an organisation, and has no other permission. */
export async function newAdministrator(world: World, organisation: string): Promise<Caller> {
  const member = await world.newMember(organisation)
  await bind(world, member.id, 'organisation-admin', organisation)
  return member
}

/** Makes the fault that the organisation of a call is suspended. */
export const scopeNotActive = (organisationOf: (aim: Aim, world: World) => string | Promise<string>): Fault => ({
  reason: 'SCOPE_NOT_ACTIVE',
  async apply(aim, world) {
    await world.run('suspendOrganisation', { path: { id: await organisationOf(aim, world) } })
    return aim
  },
})
