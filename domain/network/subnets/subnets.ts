import type { NetworkArea } from '../../../output/network/area.ts'
import type { SubnetHandlers } from '../../../output/network/handlers.ts'
import type { Updated } from '../../../runtime/field-mask.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Warning } from '../../ports/warning.ts'
import type { More } from '../../resources/mutation-rules.ts'
import { Resources } from '../../resources/resources.ts'
import { quotas } from '../quotas.ts'
import { renewalWarnings } from '../renewal-warnings.ts'
import { vpcCollection } from '../vpcs-store.ts'
import { blockOf, defaultGateway, freeRangesOf, planOf, usableCount } from './address-plan.ts'
import { sizeOf } from '../../addresses/ipv4.ts'
import { deleteRanges, insertRanges, openCount } from './free-range-rows.ts'
import { changeReserved } from './reserved-changes.ts'
import { requireDisjoint, requireForm, requireWithin, withEnds } from './subnet-form.ts'
import { subnetKind } from './subnet-kind.ts'
import { requireInVpc, requireNoOverlap } from './subnet-place.ts'
import type { StoredSubnet } from './subnets-store.ts'

/**
 * Drops a deleted subnet from the firewall rules of its VPC, at the time `now` in milliseconds since 1970. Returns a
 * warning for each rule that would match more packets without the subnet; the rule is disabled, if it was not disabled
 * before.
 */
export type DropFromRules = (tx: Transaction, vpc: string, subnet: string, now: number) => Promise<readonly Warning[]>

/**
 * Returns the handlers of subnets. `dropFromRules` is a parameter, because the code of firewall rules imports the code
 * of subnets.
 */
export function subnets(parts: Parts<NetworkArea>, dropFromRules: DropFromRules): SubnetHandlers {
  const { store, taxonomy } = parts
  const resources = new Resources<StoredSubnet, NetworkArea>(subnetKind, parts)
  return {
    listSubnets: (request, context) => resources.list(request, context),
    getSubnet: request => resources.get(request),
    async createSubnet(request, context) {
      const { etag: _precondition, ...settable } = request.body
      requireForm(settable)
      const planned = {
        ...settable,
        gateway_address: settable.gateway_address ?? defaultGateway(settable.cidr_block),
        reserved_ranges: withEnds(settable.reserved_ranges),
      }
      const ranges = freeRangesOf(planOf(planned))
      // The region of a VPC never changes. `makeReferences` refuses an absent VPC.
      const region = (await store.get(vpcCollection, settable.vpc_id))?.value.region ?? ''
      const state = { state: 'NETWORK_SUBNET_STATE_ACTIVE', region } as const
      const subnet: StoredSubnet = {
        ...resources.standard(request, context),
        ...planned,
        ...state,
        ...countsOf(planned.cidr_block, openCount(ranges)),
      }
      const { id, vpc_id, workspace_id } = subnet
      return resources.create(request, context, subnet, {
        refer: tx => requireInVpc(tx, subnet),
        exclude: tx => requireNoOverlap(tx, subnet),
        async count(tx) {
          await quotas.consume(tx, taxonomy, workspace_id, [{ definition: 'network.subnets', dimensions: { vpc_id } }])
          await insertRanges(tx, id, ranges)
        },
      })
    },
    async updateSubnet(request, context) {
      const { body } = request
      // The block and the gateway cannot be changed, so only the ranges have a form to judge.
      requireDisjoint(body.reserved_ranges ?? [])
      const ranges = body.reserved_ranges && { reserved_ranges: withEnds(body.reserved_ranges) }
      return resources.update({ ...request, body: { ...body, ...ranges } }, context, {
        refer(tx, update, before) {
          requireWithin(blockOf(before.cidr_block), body.reserved_ranges ?? [])
          return changed(tx, update, before)
        },
      })
    },
    deleteSubnet: (request, context) =>
      resources.delete(request, context, {
        async release(tx, { id, vpc_id }) {
          await deleteRanges(tx, id)
          return { warnings: await dropFromRules(tx, vpc_id, id, context.now) }
        },
      }),
  }
}

/** Returns the counts of a new subnet. */
function countsOf(cidr: string, available: number) {
  const block = blockOf(cidr)
  const counts = { total_addresses: sizeOf(block), usable_addresses: usableCount(block) }
  return { ...counts, allocated_addresses: 0, available_addresses: available } as const
}

/**
 * Applies changed reserved ranges to the free ranges. Returns the new number of available addresses, and a warning if
 * the name servers changed and machines of the subnet are running.
 */
async function changed(
  tx: Transaction,
  { changed, value }: Updated<StoredSubnet>,
  before: StoredSubnet,
): Promise<More<StoredSubnet, NetworkArea>> {
  const grown = changed.includes('reserved_ranges') ? await changeReserved(tx, before, value) : 0
  return {
    members: { available_addresses: before.available_addresses + grown },
    warnings: changed.includes('dns_servers')
      ? await renewalWarnings(tx, 'the name servers', { subnet_id: before.id })
      : [],
  }
}
