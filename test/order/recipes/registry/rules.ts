import { absentId } from '../../../areas/members.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource, type ResourceCall } from '../../resource-recipes.ts'
import type { World } from '../../world.ts'
import { deleting, newRepository } from './rows.ts'

const rule = {
  effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
  principals: ['ALL_AUTHENTICATED'],
  actions: ['REGISTRY_ACTION_PUSH'],
}

const publicPush: Fault = {
  reason: 'PUBLIC_RULE_INVALID',
  apply: aim => withBody(aim, { rules: [{ ...rule, principals: ['ALL_USERS'] }] }),
}

const absentPrincipal: Fault = {
  reason: 'PRINCIPAL_NOT_FOUND',
  apply: aim => withBody(aim, { rules: [{ ...rule, principals: [absentId] }] }),
}

const calls = (state?: Fault): Readonly<Record<string, ResourceCall>> => ({
  create: {
    faults: { rule: publicPush, reference: absentPrincipal, ...(state && { state }) },
  },
  update: {
    body: { rules: [{ ...rule, tag_patterns: ['dev-*'] }] },
    faults: { rule: publicPush, reference: absentPrincipal, ...(state && { state }) },
  },
  delete: state ? { faults: { state } } : {},
})

const policy: Resource = {
  noun: 'AccessPolicy',
  body: ({ newName }) => ({ name: newName(), rules: [rule] }),
  calls: calls(),
}

const repositoryPolicy: Resource = {
  noun: 'RepositoryAccessPolicy',
  at: newRepository,
  body: ({ newName }) => ({ name: newName(), rules: [rule] }),
  calls: calls(deleting()),
}

const grant: Resource = {
  noun: 'PullGrant',
  async at(world: World): Promise<Aim['path']> {
    const { engine = '', workspace = '' } = await newRepository(world)
    return { engine, workspace }
  },
  async body({ newName, newPlace, run }, path) {
    const body = { name: newName(), region: 'local1' }
    const repository_id = await run('createRepository', { path, body })
    return { grantee_workspace_id: (await newPlace()).workspace, repository_id }
  },
  calls: {
    create: {
      faults: {
        state: deleting(({ body }) => String(body?.['repository_id'])),
        reference: {
          reason: 'GRANTEE_INVALID',
          apply: aim => withBody(aim, { grantee_workspace_id: absentId }),
        },
        uniqueness: {
          reason: 'PULL_GRANT_ALREADY_EXISTS',
          async apply(aim, { run }) {
            await run('createPullGrant', { path: aim.path, body: aim.body ?? {} })
            return aim
          },
        },
      },
      atOdds: { 'reference>uniqueness': 'a workspace that is not there has no grant' },
    },
    delete: {},
  },
}

export const ruleRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(policy), ...resourceRecipes(repositoryPolicy), ...resourceRecipes(grant) },
  reasons: {
    // The time of an end is judged after the look-up of the Idempotency-Key, and whether a workspace exists by its row.
    EXPIRE_TIME_IN_PAST: 'reference',
    GRANTEE_INVALID: 'reference',
  },
}
