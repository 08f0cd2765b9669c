import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Collection, Reader, Transaction } from '../../ports/store.ts'

/**
 * The progress of the areas in applying the state of a workspace. If the row is absent, all areas have applied ACTIVE
 * and no work is in progress.
 */
export interface Following {
  /** The id of the workspace. */
  readonly id: string
  readonly organisation_id: string
  /** The last state that all areas have applied. While `work` is set, some areas may be applying another state. */
  readonly applied: LifecycleState
  /** The id of the work that applies the state now; empty if no work is in progress. Only this work calls the areas. */
  readonly work: string
  /** Whether the work waits for its next attempt after a failure; other work may then replace it. */
  readonly is_resting: boolean
  /** The state that the areas failed to apply in three attempts; empty if they did not fail. */
  readonly failed_state: string
  /** The reason of the failure, for people; empty if the areas did not fail. */
  readonly failure: string
}

/** The followings of all workspaces. */
export const followings: Collection<Following> = {
  name: 'taxonomy_followings',
  id: 'id',
  columns: { organisation_id: 'STRING' },
  indexes: [['organisation_id']],
}

/** Returns the first following of a workspace, whose areas have all applied ACTIVE before. */
export const newFollowing = (id: string, organisation_id: string, work: string): Following => ({
  id,
  organisation_id,
  applied: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
  work,
  is_resting: false,
  failed_state: '',
  failure: '',
})

/** Returns whether a piece of work calls the areas now or soon. */
export const isBusy = (following: Following | undefined): boolean =>
  following !== undefined && following.work !== '' && !following.is_resting

/** Returns the followings of workspaces, keyed by workspace id. */
export async function followingsOf(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Following>> {
  const found = new Map<string, Following>()
  for await (const { id, value } of reader.each(followings, { id: ids })) found.set(id, value)
  return found
}

/**
 * Changes the following of a workspace and returns the new following, if `work` is its current work; otherwise returns
 * undefined.
 */
export async function changeFollowing(
  tx: Transaction,
  id: string,
  work: string,
  changes: Partial<Following>,
): Promise<Following | undefined> {
  const stored = await tx.lock(followings, id)
  if (stored?.value.work !== work) return undefined
  const next = { ...stored.value, ...changes }
  await tx.update(followings, id, next, stored.version)
  return next
}

/**
 * Deletes the following of a deleted workspace. If work is in progress, its end deletes the following, because other
 * work must be able to wait for that end.
 */
export async function dropIdleFollowing(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(followings, id)
  if (stored && !isBusy(stored.value)) await tx.delete(followings, id, stored.version)
}
