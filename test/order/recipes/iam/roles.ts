import { randomUUID } from 'node:crypto'
import { roles } from '../../../../domain/iam/collections/roles-store.ts'
import { withBody, withPath, type Aim } from '../../aim.ts'
import type { Fault, Recipe } from '../../recipe.ts'
import type { World } from '../../world.ts'
import { bind, newAdministrator, scopeNotActive } from './subjects.ts'

/** The maximal number of roles of an owner. */
const mostOfOwner = 100

/** A text with the form of a permission that does not exist. */
const unknownPermission = 'iam.things.fly'

const seen = 'taxonomy.workspaces.get'

/** A permission that only roles of the platform can grant. */
const platformOnly = 'taxonomy.organisations.create'

const bodyOf = async ({ newName, newOrganisation }: World) => ({
  name: newName(),
  scope_type: 'ORGANISATION',
  scope_id: await newOrganisation(),
})

/** Creates a role in a new organisation; returns the id of the role. */
const newRole = async (world: World, permissions: readonly string[] = [seen]): Promise<string> =>
  world.run('createRole', { body: { ...(await bodyOf(world)), permissions } })

const roleOf = ({ path }: Aim): string => path['role'] ?? path['id'] ?? ''

async function ownerOf(aim: Aim, { admin }: World): Promise<string> {
  return (await admin.api.iam.getRole({ id: roleOf(aim) })).scope_id
}

const ownerNotActive = scopeNotActive(ownerOf)

/** Makes the fault that the path names a role of the platform. */
const predefined = (parameter: 'id' | 'role', name: string): Fault => ({
  reason: 'ROLE_PREDEFINED',
  apply: aim => withPath(aim, { [parameter]: name }),
})

const ofThePlatform = 'a predefined role belongs to the platform, which is always active'

/** Makes the fault that the caller administers only the organisation of the role, and lacks the permission to add. */
const escalation = (organisationOf: (aim: Aim, world: World) => string | Promise<string>): Fault => ({
  reason: 'ESCALATION_DENIED',
  apply: async (aim, world) => ({ ...aim, caller: await newAdministrator(world, await organisationOf(aim, world)) }),
})

const noRoom: Fault = {
  reason: 'ROLE_QUOTA_EXCEEDED',
  async apply(aim, { newName, run, store }) {
    const id = await run('createRole', { body: { ...aim.body, name: newName() } })
    const stored = await store.get(roles, id)
    if (stored === undefined) throw new Error(`there is no role ${id}`)
    await store.tx(async tx => {
      for (let i = 1; i < mostOfOwner; i += 1) {
        const copy = { id: randomUUID(), name: newName() }
        await tx.insert(roles, { ...stored.value, ...copy })
      }
    })
    return aim
  },
}

const createRole: Recipe = {
  aim: async world => ({ body: { ...(await bodyOf(world)), permissions: [platformOnly] } }),
  faults: {
    rule: { reason: 'UNKNOWN_PERMISSION', apply: aim => withBody(aim, { permissions: [unknownPermission] }) },
    workspace: scopeNotActive(({ body }) => String(body?.['scope_id'])),
    reference: escalation(({ body }) => String(body?.['scope_id'])),
    quota: noRoom,
  },
}

const updateRole: Recipe = {
  aim: async world => ({ path: { id: await newRole(world) }, body: { display_name: 'Seer', permissions: [seen] } }),
  faults: {
    workspace: ownerNotActive,
    state: predefined('id', 'workspace-viewer'),
    reference: { reason: 'UNKNOWN_PERMISSION', apply: aim => withBody(aim, { permissions: [unknownPermission] }) },
  },
  atOdds: { 'workspace>state': ofThePlatform },
}

const deleteRole: Recipe = {
  aim: async world => ({ path: { id: await newRole(world) } }),
  faults: {
    workspace: ownerNotActive,
    state: {
      reason: 'ROLE_IN_USE',
      async apply(aim, world) {
        const { id } = await world.newMember()
        await bind(world, id, roleOf(aim), await ownerOf(aim, world))
        return aim
      },
    },
  },
}

const addRolePermission: Recipe = {
  aim: async world => ({ path: { role: await newRole(world, []) }, body: { permission: platformOnly } }),
  faults: {
    rule: { reason: 'UNKNOWN_PERMISSION', apply: aim => withBody(aim, { permission: unknownPermission }) },
    workspace: ownerNotActive,
    state: predefined('role', 'platform-admin'),
    reference: escalation(ownerOf),
  },
  atOdds: {
    'workspace>state': ofThePlatform,
    'state>reference': 'who may write the roles of the platform holds all that can be added to them',
  },
}

const removeRolePermission: Recipe = {
  aim: async world => ({ path: { role: await newRole(world), permission: seen } }),
  absent: { permission: unknownPermission },
  faults: { workspace: ownerNotActive, state: predefined('role', 'workspace-viewer') },
  atOdds: { 'workspace>state': ofThePlatform },
}

/** The recipes of roles and their permissions, keyed by operationId. */
export const roleRecipes: Readonly<Record<string, Recipe>> = {
  createRole,
  updateRole,
  deleteRole,
  addRolePermission,
  removeRolePermission,
}
