import { absentId } from '../../../areas/members.ts'
import { withBody } from '../../aim.ts'
import type { Fault, Recipe } from '../../recipe.ts'
import { after } from '../../resource-recipes.ts'
import type { World } from '../../world.ts'
import { conditionInvalid, multiply } from './access.ts'
import { bind, newAdministrator, scopeNotActive } from './subjects.ts'

/** The maximal number of bindings at a scope. */
const mostAtScope = 1500

/** The fault that the user has more permissions than the caller, who administers the organisation of the user. */
const stronger: Fault = {
  reason: 'ESCALATION_DENIED',
  async apply(aim, world) {
    const id = aim.path['id'] ?? ''
    await bind(world, id, 'platform-viewer')
    const { organisation_id = '' } = await world.admin.api.iam.getUser({ id })
    return { ...aim, caller: await newAdministrator(world, organisation_id) }
  },
}

const newUser = async ({ newMember, newOrganisation }: World) => newMember(await newOrganisation())

/** Makes a recipe of a verb on a signed-in user, after the verbs in `before`. */
const verb = (before: readonly string[], state: Fault): Recipe => ({
  async aim(world) {
    const path = { id: (await newUser(world)).id }
    for (const operationId of before) await world.run(operationId, { path })
    return { path, body: {} }
  },
  faults: { state, reference: stronger },
})

const updateUser: Recipe = {
  async aim(world) {
    const { id } = await newUser(world)
    return { path: { id }, body: { email: `${world.newName()}@order.example` } }
  },
  faults: {
    reference: stronger,
    uniqueness: {
      reason: 'USER_ALREADY_EXISTS',
      apply: async (aim, { newMember }) => withBody(aim, { email: (await newMember()).email }),
    },
  },
}

const inviteUser: Recipe = {
  async aim({ newName, newOrganisation }) {
    const organisation_id = await newOrganisation()
    const grants = [{ role_id: 'organisation-viewer', scope_type: 'ORGANISATION', scope_id: organisation_id }]
    return { body: { email: `${newName()}@order.example`, organisation_id, grants } }
  },
  faults: {
    rule: conditionInvalid(condition => ({
      grants: [{ role_id: 'platform-viewer', scope_type: 'PLATFORM', scope_id: '', condition }],
    })),
    workspace: scopeNotActive(({ body }) => String(body?.['organisation_id'])),
    reference: {
      reason: 'ROLE_NOT_FOUND',
      apply: aim => withBody(aim, { grants: [{ role_id: absentId, scope_type: 'PLATFORM', scope_id: '' }] }),
    },
    uniqueness: {
      reason: 'USER_ALREADY_EXISTS',
      apply: async (aim, { newMember }) => withBody(aim, { email: (await newMember()).email }),
    },
    quota: {
      reason: 'BINDING_QUOTA_EXCEEDED',
      async apply(aim, world) {
        const { id } = await world.newMember()
        const binding = await bind(world, id, 'organisation-viewer', String(aim.body?.['organisation_id']))
        await multiply(world, binding, mostAtScope, i => ({ principal_id: `principal-${i}` }))
        return aim
      },
    },
  },
}

/** The recipes of administrators' calls on users, keyed by operationId. */
export const userRecipes: Readonly<Record<string, Recipe>> = {
  inviteUser,
  updateUser,
  deactivateUser: verb([], after('deactivateUser', 'USER_ALREADY_DEACTIVATED')),
  reactivateUser: verb(['deactivateUser'], after('reactivateUser', 'USER_NOT_DEACTIVATED')),
  resetUserPassword: verb([], after('deactivateUser', 'USER_NOT_ACTIVE')),
  regenerateActivation: {
    async aim({ newName, newOrganisation, run }) {
      const body = { email: `${newName()}@order.example`, organisation_id: await newOrganisation() }
      return { path: { id: await run('inviteUser', { body }) }, body: {} }
    },
    faults: { state: after('deactivateUser', 'USER_NOT_INVITED'), reference: stronger },
  },
}
