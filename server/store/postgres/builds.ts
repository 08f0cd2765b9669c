import { setInterval } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Connection } from '../connection.ts'
import type { Index } from '../indexes.ts'
import { connectedClient } from './pool.ts'
import { Prepared, query } from './statements.ts'

/**
 * The duration of the lease under which one server at a time builds indexes ahead, and the interval of its renewal. A
 * lock cannot serve for this, because building an index concurrently waits for all older transactions. If two servers
 * build concurrently, after a pause longer than the lease, it only costs time: an index in use is never dropped
 * (schema.ts).
 */
const leaseSeconds = 15
const renewalMs = 4000

const leaseEnd = `clock_timestamp() + interval '${leaseSeconds} seconds'`

/** Whether another server has a lease. The caller must lock the schema in the transaction of `session`. */
export async function isBuiltElsewhere(session: Connection, server: string): Promise<boolean> {
  const select = 'SELECT count(*) FROM ninefold_builds WHERE server <> ? AND lease_end > clock_timestamp()'
  return Number((await session.get(select, [server]))?.[0]) > 0
}

/** Gives the lease to a server. The caller must lock the schema in the transaction of `session`. */
export async function claimBuilds(session: Connection, server: string): Promise<void> {
  await session.run('DELETE FROM ninefold_builds')
  await session.run(`INSERT INTO ninefold_builds (server, lease_end) VALUES (?, ${leaseEnd})`, [server])
}

/** Releases the lease, so that others can begin at once. */
export async function releaseBuilds(client: Client, server: string): Promise<void> {
  await query(client, new Prepared(), 'DELETE FROM ninefold_builds WHERE server = ?', [server]).catch(() => undefined)
}

/**
 * Builds indexes while others read and write, and renews the lease on `client`, which must have no other use during the
 * build. A violated unique index, and an interrupted index, stay in the database as invalid.
 */
export async function buildIndexes(
  client: Client,
  url: string,
  server: string,
  indexes: readonly Index[],
): Promise<void> {
  // A lock timeout would also count the wait for older transactions.
  const builder = await connectedClient(url)
  const over = new AbortController()
  const renewing = renewed(client, server, over.signal)
  try {
    for (const { sql } of indexes) {
      await query(builder, new Prepared(), sql.replace(' INDEX ', ' INDEX CONCURRENTLY IF NOT EXISTS '))
    }
  } finally {
    over.abort()
    await renewing
    await builder.end().catch(() => undefined)
  }
}

/**
 * Renews the lease until the signal aborts. After a failed renewal, the next renewal extends the lease, or the lease
 * expires.
 */
async function renewed(client: Client, server: string, signal: AbortSignal): Promise<void> {
  const renew = `UPDATE ninefold_builds SET lease_end = ${leaseEnd} WHERE server = ?`
  try {
    for await (const _ of setInterval(renewalMs, undefined, { signal })) {
      await query(client, new Prepared(), renew, [server]).catch(() => undefined)
    }
  } catch {
    // The signal ends the loop.
  }
}
