import { servers } from '../../domain/iam/collections/feed-store.ts'
import { leaseMs, type LeasePlace } from '../../domain/iam/feed/leases.ts'
import type { ServerStore } from '../store/server-store.ts'

/**
 * Returns the milliseconds since the start of the machine, by a clock that cannot be set and that all processes of the
 * machine share.
 */
const machineTime = async (): Promise<number> => Number(process.hrtime.bigint() / 1_000_000n)

/**
 * Returns the place of the servers' leases (decision 0010). Servers on a database keep the leases in the database, by
 * its time. Servers on a file run on one machine, so they keep the leases beside the file, by a clock that cannot be
 * set.
 */
export async function leasePlace(store: Pick<ServerStore, 'time' | 'beside'>): Promise<LeasePlace> {
  if (store.beside === undefined) return { time: () => store.time?.() ?? machineTime() }
  return { store: await store.beside('leases', [servers]), time: machineTime, longestMs: leaseMs }
}
