import type { Store, Transaction } from '../ports/store.ts'
import { holdRevision, servers, type StoredServer } from './feed-store.ts'

/** A server that cannot renew its lease serves no longer than this, milliseconds by the clock of the store. */
export const leaseMs = 3000

/** How much sooner it takes its lease for lapsed by its own clock. */
export const marginMs = 500

/** Those whose lease runs, without `own`. */
export async function liveServers(
  reader: Pick<Store, 'each'>,
  own: string,
  now: number,
): Promise<readonly StoredServer[]> {
  const live: StoredServer[] = []
  for await (const { value } of reader.each(servers)) if (value.id !== own && value.lease_until > now) live.push(value)
  return live
}

/**
 * Writes the lease of a server. One that joins, newly or again, waits for the changes that are being made: who makes one
 * has counted on its absence, or sees it.
 */
export async function writeLease(tx: Transaction, lease: StoredServer, isJoining: boolean): Promise<void> {
  if (isJoining) await holdRevision(tx)
  const stored = await tx.lock(servers, lease.id)
  if (stored) await tx.update(servers, lease.id, lease, stored.version)
  else await tx.insert(servers, lease)
}

/** Lets go of a lease, so that nobody waits for it. */
export async function dropLease(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(servers, id)
  if (stored) await tx.delete(servers, id, stored.version)
}
