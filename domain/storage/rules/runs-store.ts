import type { Collection, Transaction } from '../../ports/store.ts'

/** The kinds of things that rules remove. */
export const removedKinds = ['objects', 'noncurrent_versions', 'delete_markers', 'uploads'] as const

/** The numbers of removed things. An object that a delete marker hides counts as an object. */
export type Removed = Readonly<Record<(typeof removedKinds)[number], number>>

/**
 * The row of a run of the rules of a bucket that has removed something. The end of the run, or the next run after a
 * crash, replaces the row by an operation.
 */
export interface LifecycleRun {
  /** The id of the bucket. */
  readonly id: string
  readonly workspace_id: string
  readonly removed: Removed
  /** Whether an object was deleted before the minimum storage duration of its class. */
  readonly is_early: boolean
}

/** The runs that have not ended. */
export const runCollection: Collection<LifecycleRun> = { name: 'storage_lifecycle_runs', id: 'id' }

export const nothingRemoved: Removed = { objects: 0, noncurrent_versions: 0, delete_markers: 0, uploads: 0 }

/** Returns the sums of two numbers of removed things. */
export const added = (one: Removed, other: Removed): Removed => ({
  objects: one.objects + other.objects,
  noncurrent_versions: one.noncurrent_versions + other.noncurrent_versions,
  delete_markers: one.delete_markers + other.delete_markers,
  uploads: one.uploads + other.uploads,
})

/** Returns the number of all removed things. */
export const totalOf = (removed: Removed): number => removedKinds.reduce((sum, kind) => sum + removed[kind], 0)

/** Adds to the numbers of the run of a bucket, in the transaction that removes the things. */
export async function noteRemoved(tx: Transaction, run: LifecycleRun): Promise<void> {
  const before = await tx.lock(runCollection, run.id)
  if (!before) {
    await tx.insert(runCollection, run)
    return
  }
  const is_early = before.value.is_early || run.is_early
  const removed = added(before.value.removed, run.removed)
  await tx.update(runCollection, run.id, { ...before.value, removed, is_early }, before.version)
}

/** Deletes the run of a bucket, if there is one, and returns it. */
export async function takeRun(tx: Transaction, bucket: string): Promise<LifecycleRun | undefined> {
  const stored = await tx.lock(runCollection, bucket)
  if (stored) await tx.delete(runCollection, bucket, stored.version)
  return stored?.value
}
