import type { NetworkArea } from '../../output/network/area.ts'
import { regionNotFound, vpcInUse, vpcNotFound } from '../../output/network/errors.ts'
import type { VpcHandlers } from '../../output/network/handlers.ts'
import { vpcFields } from '../../output/network/validators.ts'
import { absentAt } from '../../runtime/errors.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Transaction } from '../ports/store.ts'
import { requirePlace } from '../resources/find-rows.ts'
import { defineKind } from '../resources/kind.ts'
import { Resources } from '../resources/resources.ts'
import { quotas } from './quotas.ts'
import { renewalWarnings } from './renewal-warnings.ts'
import { requireBlocks } from './vpc-blocks.ts'
import { vpcAnswers } from './vpc-counts.ts'
import { requireSubnetsIn } from './vpc-subnets.ts'
import { vpcCollection, type StoredVpc } from './vpcs-store.ts'

/** The kind of virtual private clouds (network.md 1). */
export const vpcKind = defineKind({
  type: 'network.vpcs',
  noun: 'VPC',
  collection: vpcCollection,
  fields: vpcFields,
  notFound: vpcNotFound,
  inUse: vpcInUse,
})

/** Returns the handlers of VPCs. */
export function vpcs(parts: Parts<NetworkArea, 'topology'>): VpcHandlers {
  const { functions, store, taxonomy } = parts
  const resources = new Resources<StoredVpc, NetworkArea>(vpcKind, parts)
  const requireRegion = async (tx: Transaction, name: string): Promise<void> => {
    if (await functions.topology.requireRegion(tx, name)) return
    const resource = { type: 'topology.regions', name }
    throw absentAt(
      regionNotFound,
      'region',
      `no region is called ${name}; choose one that the topology lists`,
      resource,
    )
  }
  return {
    async listVpcs(request, { query }) {
      const { engine, workspace } = request
      const page = await store.page(vpcCollection, query, { workspace_id: workspace, engine })
      if (page.items.length === 0) await requirePlace(store, taxonomy, vpcKind, { workspace, engine })
      const answer = await vpcAnswers(
        store,
        page.items.map(({ id }) => id),
      )
      return { ...page, items: page.items.map(({ value }) => answer(value)) }
    },
    async getVpc(request) {
      const { id, value } = await resources.read(request)
      return (await vpcAnswers(store, [id]))(value)
    },
    async createVpc(request, context) {
      const { etag: _precondition, ...settable } = request.body
      requireBlocks(settable.cidr_blocks)
      const organisation_id = await organisationOf(parts, request.workspace)
      const state = 'NETWORK_VPC_STATE_ACTIVE'
      const vpc: StoredVpc = { ...resources.standard(request, context), ...settable, state, organisation_id }
      const { region, workspace_id } = vpc
      return resources.create(request, context, vpc, {
        refer: tx => requireRegion(tx, region),
        count: tx =>
          quotas.consume(tx, taxonomy, workspace_id, [
            { definition: 'network.vpcs', dimensions: { region } },
            { definition: 'network.vpcsPerOrganisation' },
          ]),
      })
    },
    async updateVpc(request, context) {
      if (request.body.cidr_blocks) requireBlocks(request.body.cidr_blocks)
      return resources.update(request, context, {
        async refer(tx, { changed, value }) {
          if (changed.includes('cidr_blocks')) await requireSubnetsIn(tx, value)
          const warnings = changed.includes('mtu') ? await renewalWarnings(tx, 'the MTU', { vpc_id: value.id }) : []
          return { warnings }
        },
      })
    },
    deleteVpc: (request, context) =>
      resources.delete(request, context, {
        release: (tx, { id, workspace_id }) => quotas.forget(tx, workspace_id, 'vpc_id', id),
      }),
  }
}

/**
 * Returns the id of the organisation of a workspace, which never changes. Returns an empty text if the workspace does
 * not exist: the call then fails when the workspace is looked up.
 */
async function organisationOf({ store, taxonomy }: Parts<NetworkArea>, id: string): Promise<string> {
  return (await taxonomy.chain(store, { type: 'WORKSPACE', id }))?.at(-1)?.id ?? ''
}
