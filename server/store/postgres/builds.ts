import { setInterval } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Connection } from '../connection.ts'
import type { Index } from '../indexes.ts'
import { connectedClient } from './pool.ts'
import { Prepared, query } from './statements.ts'

/**
 * Indexes are made ahead by one server at a time, which says so in a lease: no lock could say it, since to make an index
 * beside others waits for all transactions that are older. That two do it after all, when one was stopped for longer
 * than its lease, costs time and harms nothing: what is in use is never dropped (schema.ts).
 */
const leaseSeconds = 15
const renewalMs = 4000

const leaseEnd = `clock_timestamp() + interval '${leaseSeconds} seconds'`

/** Whether another server has a lease. Runs, as `claimBuilds` does, inside a transaction that holds the schema. */
export async function isBuiltElsewhere(session: Connection, server: string): Promise<boolean> {
  const select = 'SELECT count(*) FROM ninefold_builds WHERE server <> ? AND lease_end > clock_timestamp()'
  return Number((await session.get(select, [server]))?.[0]) > 0
}

export async function claimBuilds(session: Connection, server: string): Promise<void> {
  await session.run('DELETE FROM ninefold_builds')
  await session.run(`INSERT INTO ninefold_builds (server, lease_end) VALUES (?, ${leaseEnd})`, [server])
}

/** Lets others begin at once; else they do when the lease has run out. */
export async function releaseBuilds(client: Client, server: string): Promise<void> {
  await query(client, new Prepared(), 'DELETE FROM ninefold_builds WHERE server = ?', [server]).catch(() => undefined)
}

/**
 * Makes indexes while others read and write, and renews the lease on `client`, which nothing else uses meanwhile. A unique
 * one that is violated, and one that was cut off, stays in the database and is not valid.
 */
export async function buildIndexes(
  client: Client,
  url: string,
  server: string,
  indexes: readonly Index[],
): Promise<void> {
  // A time-out for locks would count the wait for older transactions too.
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

/** A renewal that fails is made up for by the next one, or the lease runs out. */
async function renewed(client: Client, server: string, signal: AbortSignal): Promise<void> {
  const renew = `UPDATE ninefold_builds SET lease_end = ${leaseEnd} WHERE server = ?`
  try {
    for await (const _ of setInterval(renewalMs, undefined, { signal })) {
      await query(client, new Prepared(), renew, [server]).catch(() => undefined)
    }
  } catch {
    // The signal ends it.
  }
}
