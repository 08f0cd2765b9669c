import { servers } from '../../domain/iam/collections/feed-store.ts'
import { leaseMs, type LeasePlace } from '../../domain/iam/feed/leases.ts'
import type { ServerStore } from '../store/server-store.ts'

/** Milliseconds by the clock of the machine that nobody can set, the same in all of its processes; from its start on. */
const machineTime = async (): Promise<number> => Number(process.hrtime.bigint() / 1_000_000n)

/**
 * Where the servers on a store keep their leases (decision 0010): in a database by its time. Who shares a file is on one
 * machine, so that its leases hang on no clock that may be set, and lie beside it.
 */
export async function leasePlace(store: Pick<ServerStore, 'time' | 'beside'>): Promise<LeasePlace> {
  if (store.beside === undefined) return { time: () => store.time?.() ?? machineTime() }
  return { store: await store.beside('leases', [servers]), time: machineTime, longestMs: leaseMs }
}
