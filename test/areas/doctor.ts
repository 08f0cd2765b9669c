import { setImmediate } from 'node:timers/promises'
import type { AreaModule } from '../../server/area.ts'
import { areas } from '../../server/areas.ts'
import { hostsOf, inspectStore, type InspectedPlace } from '../../server/doctor/inspect-store.ts'
import { openStoreSnapshot } from '../../server/platform-store.ts'

/**
 * Returns the present findings of the doctor in a store, as `<type> <id>: <message>`; empty for a sound store. Servers
 * may write to the store during the check.
 */
export async function doctorFindings(
  place: InspectedPlace,
  inspected: readonly AreaModule[] = areas,
): Promise<readonly string[]> {
  // Opening a SQLite file blocks the thread while another transaction runs, and a transaction in this process needs the
  // thread to end.
  await setImmediate()
  const hosts = hostsOf(inspected, place)
  const snapshot = await openStoreSnapshot(place, inspected)
  try {
    const told: string[] = []
    for await (const { id, message, resourceType } of inspectStore(snapshot, inspected, hosts)) {
      told.push(`${resourceType} ${id}: ${message}`)
    }
    return told
  } finally {
    await snapshot.close()
  }
}
