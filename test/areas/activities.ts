import { areas } from '../../server/areas.ts'
import { outbox } from '../../server/audit/outbox.ts'
import { openStoreSnapshot, type StorePlace } from '../../server/platform-store.ts'

/** Returns the recorded activities of a store, in the order of their ids. */
export async function recordedActivities(place: StorePlace) {
  const snapshot = await openStoreSnapshot(place, areas)
  try {
    const recorded = []
    for await (const { value } of snapshot.each(outbox)) recorded.push(value)
    return recorded
  } finally {
    await snapshot.close()
  }
}
