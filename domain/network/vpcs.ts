import type { NetworkArea } from '../../output/network/area.ts'
import { regionNotFound, vpcInUse, vpcNotFound } from '../../output/network/errors.ts'
import type { VpcHandlers } from '../../output/network/handlers.ts'
import { vpcFields } from '../../output/network/validators.ts'
import { atField } from '../../runtime/errors.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Transaction } from '../ports/store.ts'
import { defineKind } from '../resources/kind.ts'
import { Resources } from '../resources/resources.ts'
import { quotas } from './quotas.ts'
import { requireBlocks } from './vpc-blocks.ts'
import { vpcCollection, type StoredVpc } from './vpcs-store.ts'

/** Virtual private clouds (network.md 1). */
export const vpcKind = defineKind({
  type: 'network.vpcs',
  noun: 'VPC',
  collection: vpcCollection,
  fields: vpcFields,
  notFound: vpcNotFound,
  inUse: vpcInUse,
})

/** The calls of VPCs. */
export function vpcs(parts: Parts<NetworkArea, 'topology'>): VpcHandlers {
  const { functions, taxonomy } = parts
  const resources = new Resources<StoredVpc, NetworkArea>(vpcKind, parts)
  const requireRegion = async (tx: Transaction, name: string): Promise<void> => {
    if (await functions.topology.requireRegion(tx, name)) return
    const resource = { type: 'topology.regions', name }
    throw atField(regionNotFound(`no region is called ${name}`, { resource }), 'region')
  }
  return {
    listVpcs: (request, context) => resources.list(request, context),
    getVpc: request => resources.get(request),
    async createVpc(request, context) {
      const { etag: _precondition, ...settable } = request.body
      requireBlocks(settable.cidr_blocks)
      const organisation_id = await organisationOf(parts, request.workspace)
      const counts = { state: 'NETWORK_VPC_STATE_ACTIVE', subnet_count: 0, logical_port_count: 0 } as const
      const vpc: StoredVpc = { ...resources.standard(request, context), ...settable, ...counts, organisation_id }
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
      return resources.update(request, context)
    },
    deleteVpc: (request, context) => resources.delete(request, context),
  }
}

/**
 * Returns the organisation of a workspace, which never changes. Returns an empty text if there is no such workspace:
 * the call then fails at the look-up of the workspace.
 */
async function organisationOf({ store, taxonomy }: Parts<NetworkArea>, id: string): Promise<string> {
  return (await taxonomy.chain(store, { type: 'WORKSPACE', id }))?.at(-1)?.id ?? ''
}
