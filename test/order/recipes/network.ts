import { absentId } from '../../areas/members.ts'
import { withBody } from '../aim.ts'
import type { AreaRecipes, Fault } from '../recipe.ts'
import { resourceRecipes, type Resource } from '../resource-recipes.ts'

const region = 'local1'
const noSubnets = 'subnets and firewall policies, which refer to VPCs, are not built'

const noRoom: Fault = {
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { run }) {
    const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: aim.path['workspace'] ?? '' }
    const body = { ...scope, dimensions: { region }, limit: 0 }
    await run('network.createQuotaLimit', { path: { quota_definition: 'network.vpcs' }, body })
    return aim
  },
}

const noRegion: Fault = {
  reason: 'REGION_NOT_FOUND',
  apply: aim => withBody(aim, { region: 'nowhere' }),
}

const badBlock: Fault = {
  reason: 'VPC_CIDR_INVALID',
  apply: aim => withBody(aim, { cidr_blocks: ['10.20.0.5/16'] }),
}

const otherScope: Fault = {
  reason: 'QUOTA_LIMIT_SCOPE_INVALID',
  apply: aim => withBody(aim, { scope_id: absentId }),
}

const taken: Fault = {
  reason: 'QUOTA_LIMIT_ALREADY_EXISTS',
  async apply(aim, { run }) {
    await run('network.createQuotaLimit', { path: aim.path, body: aim.body ?? {} })
    return aim
  },
}

const vpc: Resource = {
  noun: 'Vpc',
  body: ({ newName }) => ({ name: newName(), region, cidr_blocks: ['10.20.0.0/16'] }),
  calls: {
    create: { faults: { rule: badBlock, reference: noRegion, quota: noRoom } },
    update: { body: { cidr_blocks: ['10.21.0.0/16'] }, faults: { rule: badBlock }, unmade: { state: noSubnets } },
    delete: { unmade: { state: noSubnets } },
  },
}

const limit: Resource = {
  area: 'network',
  noun: 'QuotaLimit',
  at: async () => ({ quota_definition: 'network.vpcs' }),
  body: async ({ newPlace }) => {
    const { workspace } = await newPlace()
    return { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace, dimensions: { region }, limit: 7 }
  },
  calls: {
    create: {
      faults: { reference: otherScope, uniqueness: taken },
      atOdds: { 'reference>uniqueness': 'a scope that is not there has no limit' },
      absent: { quota_definition: 'network.nothing' },
    },
    update: { body: { limit: 9 }, absent: { quota_definition: 'network.nothing' } },
    delete: { absent: { quota_definition: 'network.nothing' } },
  },
}

export const recipes: AreaRecipes = {
  operations: { ...resourceRecipes(vpc), ...resourceRecipes(limit) },
  // Both are judged by the definition that the path names.
  reasons: { QUOTA_LIMIT_DIMENSIONS_INVALID: 'reference', QUOTA_LIMIT_SCOPE_INVALID: 'reference' },
}
