import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store, Stored, Transaction } from '../../ports/store.ts'
import type { ChangeKind } from '../interfaces/feed.ts'

/** How many changes there were. One row, which whoever makes one holds until it is committed. */
export interface StoredRevision {
  readonly id: typeof revisionId
  readonly rev: number
}

const revisionId = 'revision'

export const revisions: Collection<StoredRevision> = { name: 'iam_revision', id: 'id' }

/** One change that decisions hang on; its id is its revision, so that they are read in the order of their commits. */
export interface StoredChange {
  /** Sixteen digits. */
  readonly id: string
  readonly kind: ChangeKind
  readonly key: string
  readonly created: string
}

export const changes: Collection<StoredChange> = { name: 'iam_changes', id: 'id' }

/** A server on a shared store, which serves as long as its lease runs. */
export interface StoredServer {
  readonly id: string
  /** All changes up to this one hold there. */
  readonly applied_rev: number
  /** By the clock of the store, milliseconds since 1970. */
  readonly lease_until: number
}

export const servers: Collection<StoredServer> = { name: 'iam_servers', id: 'id', isOfAnyVersion: true }

/** The collections of the feed. */
export const feedCollections: readonly Collection<never>[] = [revisions, changes, servers]

/** The id of the change of a revision. */
export const changeId = (revision: number): string => String(revision).padStart(16, '0')

/** Holds the revision until the transaction ends, and answers it. */
export async function holdRevision(tx: Transaction): Promise<Stored<StoredRevision>> {
  const stored = await tx.lock(revisions, revisionId)
  // Two that find none meet at the insert: the second one is run again, and finds it.
  return stored ?? tx.insert(revisions, { id: revisionId, rev: 0 })
}

/** The revision as it is committed, or as the transaction has left it. */
export async function readRevision(reader: Pick<Transaction, 'get'>): Promise<number> {
  return (await reader.get(revisions, revisionId))?.value.rev ?? 0
}

/** Counts a change and writes it down: the row lock makes the order of commits that of revisions (iam.md 4.3). */
export async function recordChange(tx: Transaction, kind: ChangeKind, key: string, now: number): Promise<number> {
  const { value, version } = await holdRevision(tx)
  const rev = value.rev + 1
  await tx.update(revisions, revisionId, { id: revisionId, rev }, version)
  await tx.insert(changes, { id: changeId(rev), kind, key, created: formatMillis(now) })
  return rev
}

/** Rows that one sweep deletes: whoever makes a change meanwhile waits for it. */
const sweptRows = 500

/** Deletes changes from before an instant, milliseconds since 1970. */
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
