import type { Store } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { allocations } from './allocations-store.ts'
import { release } from './resize.ts'
import { ZonePools } from './zone-pools.ts'

/**
 * Releases the allocations of a purged workspace that no area has released. Each release runs in a transaction of its
 * own, because a transaction locks one zone. An interrupted purge may run again: it releases the remaining allocations.
 */
export async function purgeAllocations(store: Store, workspace: string): Promise<void> {
  // A release reads no rooms, so this cache stays empty. The new version of the ledger row invalidates other caches.
  const pools = new ZonePools()
  for await (const { value } of store.each(allocations, { workspace_id: workspace })) {
    const consumer = { type: value.consumer_type, id: value.consumer_id }
    await store.tx(tx => release(pools, tx, consumer))
    await nextTurn()
  }
}
