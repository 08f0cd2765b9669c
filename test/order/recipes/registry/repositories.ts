import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { deleting } from './rows.ts'

const itself = deleting(({ path }) => path['id'] ?? '')

const noRoom: Fault = {
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { run }) {
    const { workspace = '' } = aim.path
    const body = { quota_definition_id: 'registry.repositories', limit: 0 }
    await run('registry.createQuotaLimit', { path: { workspace }, body })
    return aim
  },
}

const repository: Resource = {
  noun: 'Repository',
  body: ({ newName }) => ({ name: newName(), region: 'local1' }),
  calls: {
    create: { faults: { quota: noRoom } },
    update: { body: { display_name: 'changed' }, faults: { state: itself } },
    delete: { faults: { state: itself } },
  },
}

const limit: Resource = {
  area: 'registry',
  noun: 'QuotaLimit',
  at: async ({ newPlace }) => ({ workspace: (await newPlace()).workspace }),
  body: () => ({ quota_definition_id: 'registry.repositories', limit: 7 }),
  calls: {
    create: {
      faults: {
        reference: {
          reason: 'QUOTA_DEFINITION_NOT_FOUND',
          apply: aim => ({ ...aim, body: { ...aim.body, quota_definition_id: 'registry.nothing' } }),
        },
        uniqueness: {
          reason: 'QUOTA_LIMIT_ALREADY_EXISTS',
          async apply(aim, { run }) {
            await run('registry.createQuotaLimit', { path: aim.path, body: aim.body ?? {} })
            return aim
          },
        },
      },
      atOdds: { 'reference>uniqueness': 'a definition that is not there has no limit' },
    },
    update: { body: { limit: 9 } },
    delete: {},
  },
}

export const repositoryRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(repository), ...resourceRecipes(limit) },
  reasons: {
    // The dimensions are compared with those of the definition that the body names.
    QUOTA_LIMIT_DIMENSIONS_INVALID: 'reference',
  },
}
