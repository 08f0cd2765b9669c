import { absentId } from '../../areas/members.ts'
import { withBody } from '../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../recipe.ts'
import { after, newResource, resourceRecipes, type Resource, type ResourceCall } from '../resource-recipes.ts'
import { noRoomIn } from '../taxonomy-quota.ts'

/** The fault that the organisation, the topmost ancestor of every parent, is suspended. */
const parentNotActive: Fault = {
  reason: 'PARENT_NOT_ACTIVE',
  async apply(aim, { run }) {
    await run('suspendOrganisation', { path: { id: aim.path['organisation'] ?? '' } })
    return aim
  },
}

const absentParent: Fault = {
  reason: 'GROUP_PARENT_NOT_FOUND',
  apply: aim => withBody(aim, { parent_group_id: absentId }),
}

/** The fault that a group of the same name already exists at the target of a move. */
const takenThere: Fault = {
  reason: 'GROUP_ALREADY_EXISTS',
  async apply(aim, { admin: { api }, run }) {
    const [organisation = '', id = ''] = [aim.path['organisation'], aim.path['id']]
    const { name } = await api.taxonomy.getGroup({ organisation, id })
    await run('createGroup', { path: { organisation }, body: { name, ...aim.body } })
    return aim
  },
}

/** Returns the parts of the calls that every node has, with their faults, keyed by verb. */
function nodeCalls(noun: string): Readonly<Record<string, ResourceCall>> {
  const isRoot = noun === 'Organisation'
  const state = (verb: string): Fault => after(verb + noun, `${noun.toUpperCase()}_STATE_INVALID`)
  const faults = (verb: string): NonNullable<Recipe['faults']> => ({
    ...(!isRoot && { workspace: parentNotActive }),
    state: state(verb),
  })
  return {
    update: { faults: faults('archive') },
    suspend: { faults: faults('suspend') },
    resume: { before: ['suspend'], faults: faults('resume') },
    archive: { faults: faults('archive') },
    restore: { before: ['archive'], faults: faults('restore') },
    delete: { before: ['archive'], faults: { state: state('restore') } },
  }
}

const organisation: Resource = {
  noun: 'Organisation',
  at: async () => ({}),
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    ...nodeCalls('Organisation'),
    create: {
      faults: {
        reference: { reason: 'FIELD_INVALID', apply: aim => withBody(aim, { owner_principal_id: absentId }) },
      },
    },
  },
}

/** Returns the description of the calls of a group or workspace in a new organisation. */
const child = (noun: string, quota: string): Resource => ({
  noun,
  at: async ({ newOrganisation }) => ({ organisation: await newOrganisation() }),
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    ...nodeCalls(noun),
    create: {
      faults: { workspace: parentNotActive, reference: absentParent, quota: noRoomIn('ORGANISATION', quota) },
    },
  },
})

const group = child('Group', 'taxonomy.groups')
const workspace = child('Workspace', 'taxonomy.workspaces')

/** Makes the recipe of a move into a new group of the same organisation. */
const move = (node: Resource, quota: string, faults: Recipe['faults'] = {}): Recipe => ({
  async aim(world) {
    const path = await newResource(node, world)
    return {
      path,
      body: { parent_group_id: await world.run('createGroup', { path, body: { name: world.newName() } }) },
    }
  },
  faults: {
    workspace: parentNotActive,
    state: after(`archive${node.noun}`, `${node.noun.toUpperCase()}_STATE_INVALID`),
    reference: absentParent,
    quota: noRoomIn('GROUP', quota, ({ body }) => String(body?.['parent_group_id'])),
    ...faults,
  },
})

const override: Resource = {
  noun: 'QuotaOverride',
  at: async () => ({ quota: 'compute.vcpus' }),
  body: async ({ newOrganisation }) => ({
    scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION',
    scope_id: await newOrganisation(),
    limit: 4,
  }),
  calls: {
    create: {
      faults: {
        reference: { reason: 'QUOTA_OVERRIDE_SCOPE_INVALID', apply: aim => withBody(aim, { scope_id: absentId }) },
      },
    },
    update: { body: { limit: 5 } },
    delete: {},
  },
}

export const recipes: AreaRecipes = {
  reasons: {
    // These reasons concern the parent or the scope in the body, which must exist.
    GROUP_MOVE_CYCLE: 'reference',
    GROUP_DEPTH_EXCEEDED: 'reference',
    GROUP_CHILDREN_EXCEEDED: 'reference',
    QUOTA_OVERRIDE_SCOPE_INVALID: 'reference',
  },
  operations: {
    ...resourceRecipes(organisation),
    ...resourceRecipes(group),
    ...resourceRecipes(workspace),
    ...resourceRecipes(override),
    moveGroup: move(group, 'taxonomy.groups', { uniqueness: takenThere }),
    moveWorkspace: move(workspace, 'taxonomy.workspaces'),
    updateQuota: { aim: async () => ({ path: { id: 'vault.secrets' }, body: { default_limit: 1000 } }) },
  },
}
