import { absentId } from '../../areas/members.ts'
import { createPort } from '../../../domain/network/ports/create-port.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { createClock } from '../../../server/clock.ts'
import { withBody } from '../aim.ts'
import type { AreaRecipes, Fault } from '../recipe.ts'
import { resourceRecipes, type Resource } from '../resource-recipes.ts'
import type { World } from '../world.ts'
import { firewallRecipes } from './network/firewall.ts'

const region = 'local1'

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

const subnetLeft: Fault = {
  reason: 'VPC_IN_USE',
  async apply(aim, world) {
    await newSubnet(world, aim.path['workspace'] ?? '', aim.path['id'] ?? '')
    return aim
  },
}

const noRoomInVpc: Fault = {
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { run }) {
    const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: aim.path['workspace'] ?? '' }
    const body = { ...scope, dimensions: { vpc_id: aim.body?.['vpc_id'] ?? '' }, limit: 0 }
    await run('network.createQuotaLimit', { path: { quota_definition: 'network.subnets' }, body })
    return aim
  },
}

const invertedRange: Fault = {
  reason: 'SUBNET_RESERVED_RANGE_INVALID',
  apply: aim => withBody(aim, { reserved_ranges: [{ start: '10.20.1.9', end: '10.20.1.8' }] }),
}

const portLeft: Fault = {
  reason: 'SUBNET_IN_USE',
  async apply(aim, { newName, store }) {
    const vm = { id: absentId, name: newName(), zone: 'local1-a', labels: {} }
    const request = { vm, nic: 'nic0', subnet_id: aim.path['id'] ?? '' }
    await store.tx(tx => createPort({ clock: createClock(), taxonomy: taxonomyFunctions }, tx, request))
    return aim
  },
}

const newVpc = ({ newName, run }: World, workspace: string): Promise<string> => {
  const body = { name: newName(), region, cidr_blocks: ['10.20.0.0/16'] }
  return run('createVpc', { path: { workspace, engine: 'native' }, body })
}

const newSubnet = ({ newName, run }: World, workspace: string, vpc_id: string): Promise<string> => {
  const body = { name: newName(), vpc_id, cidr_block: '10.20.1.0/24' }
  return run('createSubnet', { path: { workspace, engine: 'native' }, body })
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
    update: {
      body: { cidr_blocks: ['10.21.0.0/16'] },
      faults: { rule: badBlock, state: { ...subnetLeft, reason: 'VPC_CIDR_IN_USE' } },
    },
    delete: { faults: { state: subnetLeft } },
  },
}

const subnet: Resource = {
  noun: 'Subnet',
  body: async (world, path) => ({
    name: world.newName(),
    vpc_id: await newVpc(world, path['workspace'] ?? ''),
    cidr_block: '10.20.1.0/24',
  }),
  calls: {
    create: {
      faults: {
        rule: invertedRange,
        reference: { reason: 'VPC_NOT_FOUND', apply: aim => withBody(aim, { vpc_id: absentId }) },
        quota: noRoomInVpc,
      },
    },
    update: { body: { reserved_ranges: [{ start: '10.20.1.9' }] }, faults: { rule: invertedRange } },
    delete: { faults: { state: portLeft } },
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
  operations: {
    ...resourceRecipes(vpc),
    ...resourceRecipes(subnet),
    ...resourceRecipes(limit),
    ...firewallRecipes.operations,
  },
  // These reasons depend on rows: the quota reasons on the definition in the path, and the reason about the CIDR block
  // on the VPC in the body.
  reasons: {
    ...firewallRecipes.reasons,
    SUBNET_CIDR_OUTSIDE_VPC: 'reference',
    QUOTA_LIMIT_DIMENSIONS_INVALID: 'reference',
    QUOTA_LIMIT_SCOPE_INVALID: 'reference',
  },
}
