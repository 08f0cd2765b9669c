import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Collection, Reader, Transaction } from '../../ports/store.ts'

/** How far the areas have followed the state of a workspace. None: they have followed it to ACTIVE, and nobody works on it. */
export interface Following {
  /** That of the workspace. */
  readonly id: string
  readonly organisation_id: string
  /** The state that all areas have followed; while a piece of work is named, some may be on the way to another. */
  readonly applied: LifecycleState
  /** Which piece of work follows the state now; empty when none does. Only that one calls the areas. */
  readonly work: string
  /** The work waits for its next attempt after a failure; another may take its place. */
  readonly is_resting: boolean
  /** The state that could not be followed in three attempts, empty when it is not known, and why, for people. */
  readonly failed_state: string
  /** Empty when there is none. */
  readonly failure: string
}

export const followings: Collection<Following> = {
  name: 'taxonomy_followings',
  id: 'id',
  columns: { organisation_id: 'STRING' },
  indexes: [['organisation_id']],
}

/** What is kept of a workspace whose areas follow it from ACTIVE for the first time. */
export const newFollowing = (id: string, organisation_id: string, work: string): Following => ({
  id,
  organisation_id,
  applied: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
  work,
  is_resting: false,
  failed_state: '',
  failure: '',
})

/** Whether a piece of work calls the areas, or will before long. */
export const isBusy = (following: Following | undefined): boolean =>
  following !== undefined && following.work !== '' && !following.is_resting

/** The followings of some workspaces by their ids. */
export async function followingsOf(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Following>> {
  const found = new Map<string, Following>()
  for await (const { id, value } of reader.each(followings, { id: ids })) found.set(id, value)
  return found
}

/** Changes the following of a workspace while the work `work` is the one that follows; undefined when it is not. */
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
 * Drops the following of a workspace that is gone; one that a piece of work is busy with goes with the end of that,
 * which others must be able to wait for.
 */
export async function dropIdleFollowing(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(followings, id)
  if (stored && !isBusy(stored.value)) await tx.delete(followings, id, stored.version)
}
