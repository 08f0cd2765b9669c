import type { TopologyArea } from '../../../output/topology/area.ts'
import { resourcePoolInUse } from '../../../output/topology/errors.ts'
import type { ResourcePoolHandlers } from '../../../output/topology/handlers.ts'
import type { ResourcePool } from '../../../output/topology/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { Resources } from '../../resources/resources.ts'
import { foundSite } from '../sites/found-site.ts'
import { namesField } from '../sites/named-fields.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { allocations } from './allocations-store.ts'
import { newPool } from './new-pool.ts'
import { afterChange, changed, changeZone } from './pool-change.ts'
import { requireForm } from './pool-form.ts'
import { poolKind } from './pool-kind.ts'
import { requireNodes, requireRoomOnTarget, requireSameLocation } from './pool-room.ts'
import { answered, derivedStates, poolSites } from './pool-states.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'

/** Returns the handlers of resource pools. */
export function resourcePools(parts: Parts<TopologyArea>): ResourcePoolHandlers {
  const { clock, store } = parts
  const resources = new Resources<StoredPool, TopologyArea>(poolKind, parts)
  return {
    listResourcePools: (_request, context) => store.snapshot(reader => listPools(reader, context)),
    getResourcePool: request =>
      store.snapshot(async reader => {
        const stored = await foundSite(reader, poolKind, parts, request)
        return answered(stored, await poolSites(reader, [stored.value]))
      }),
    async createResourcePool(request, context) {
      const { etag: _precondition, ...settable } = request.body
      requireForm(settable)
      const pool = newPool(settable, standardMembers(clock, context))
      return resources.create(request, context, pool, {
        async refer(tx) {
          await requireSameLocation(tx, pool)
          await requireNodes(tx, pool)
        },
        async count(tx) {
          await requireRoomOnTarget(tx, pool)
          await changeZone(tx, pool)
        },
      })
    },
    async updateResourcePool(request, context) {
      requireForm(request.body)
      return resources.update(request, context, { refer: changed, count: afterChange })
    },
    deleteResourcePool: (request, context) =>
      resources.delete(request, context, {
        async release(tx, pool) {
          await requireUnused(tx, pool)
          await changeZone(tx, pool)
        },
      }),
  }
}

/** Throws RESOURCE_POOL_IN_USE if the pool has allocations. `Resources` checks the rows that refer to the pool. */
async function requireUnused(tx: Transaction, { allocation_count, id, name }: StoredPool): Promise<void> {
  if (allocation_count === 0) return
  const consumers = await tx.tally(allocations, 'consumer_type', { pool_id: id })
  throw resourcePoolInUse(`resource pool ${name} is in use; delete what is on it first`, {
    resource: { type: poolKind.type, name: id },
    precondition: [...consumers].map(([type, count]) => ({ type, subject: id, description: `${count} left` })),
  })
}

async function listPools(reader: Reader, { query }: ListContext): Promise<Page<ResourcePool>> {
  const derived = namesField(query, 'state') ? await derivedStates(reader) : undefined
  const page = await reader.page(poolCollection, query, {}, { derived })
  const sites = await poolSites(
    reader,
    page.items.map(({ value }) => value),
  )
  return { ...page, items: page.items.map(stored => answered(stored, sites)) }
}
