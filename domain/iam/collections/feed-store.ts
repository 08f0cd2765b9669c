import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store, Stored, Transaction } from '../../ports/store.ts'
import type { ChangeKind } from '../interfaces/feed.ts'

/** The number of changes so far, in one row. A transaction that records a change locks the row until its commit. */
export interface StoredRevision {
  readonly id: typeof revisionId
  readonly rev: number
}

const revisionId = 'revision'

export const revisions: Collection<StoredRevision> = { name: 'iam_revision', id: 'id' }

/**
 * A change that affects decisions. The id of a change is its revision, so that servers read changes in the order of
 * their commits.
 */
export interface StoredChange {
  /** The revision in sixteen digits. */
  readonly id: string
  readonly kind: ChangeKind
  readonly key: string
  readonly created: string
}

export const changes: Collection<StoredChange> = { name: 'iam_changes', id: 'id' }

/** The lease of a server on a shared store, and the changes that the server has applied. */
export interface StoredServer {
  readonly id: string
  /** The revision up to which the server has applied all changes. */
  readonly applied_rev: number
  /** The end of the lease in milliseconds of the clock that all servers share (`LeasePlace.time`). */
  readonly lease_until: number
}

export const servers: Collection<StoredServer> = { name: 'iam_servers', id: 'id', isOfAnyVersion: true }

/** The collections of the feed. */
export const feedCollections: readonly Collection<never>[] = [revisions, changes, servers]

/** Returns the id of the change with a revision. */
export const changeId = (revision: number): string => String(revision).padStart(16, '0')

/** Locks the row of the revision until the end of the transaction, and returns the row. */
export async function holdRevision(tx: Transaction): Promise<Stored<StoredRevision>> {
  const stored = await tx.lock(revisions, revisionId)
  // Two transactions that find no row conflict at the insert; the second runs again and finds the row.
  return stored ?? tx.insert(revisions, { id: revisionId, rev: 0 })
}

/**
 * Returns the revision that the reader sees: the committed revision, or the uncommitted revision of its own
 * transaction.
 */
export async function readRevision(reader: Pick<Transaction, 'get'>): Promise<number> {
  return (await reader.get(revisions, revisionId))?.value.rev ?? 0
}

/**
 * Increments the revision, inserts a change and returns the new revision. The row lock makes the order of commits equal
 * to the order of revisions (iam.md 4.3).
 */
export async function recordChange(tx: Transaction, kind: ChangeKind, key: string, now: number): Promise<number> {
  const { value, version } = await holdRevision(tx)
  const rev = value.rev + 1
  await tx.update(revisions, revisionId, { id: revisionId, rev }, version)
  await tx.insert(changes, { id: changeId(rev), kind, key, created: formatMillis(now) })
  return rev
}

/** The maximal number of rows that one sweep deletes, so that its transaction stays short. */
const sweptRows = 500

/** Deletes up to 500 changes that are older than an instant, in milliseconds since 1970. */
export async function sweepChanges(store: Pick<Store, 'tx'>, before: number): Promise<void> {
  const since = formatMillis(before)
  await store.tx(async tx => {
    let left = sweptRows
    for await (const { id, value, version } of tx.each(changes)) {
      if (left === 0 || value.created >= since) break
      await tx.delete(changes, id, version)
      left -= 1
    }
  })
}
