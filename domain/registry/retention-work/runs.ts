import type { Stored, Transaction } from '../../ports/store.ts'
import { nothing } from '../retention/tally.ts'
import { retentionRunCollection, type RetentionRun } from '../retention/retention-store.ts'

/** Inserts the row of a run that begins. */
export async function insertRun(
  tx: Transaction,
  run: Pick<RetentionRun, 'id' | 'mode' | 'operation_id' | 'workspace_id'>,
): Promise<void> {
  await tx.insert(retentionRunCollection, { ...run, after: '', done: nothing, removed: nothing })
}

/** Deletes the row of the run of a policy, and returns it; undefined if no run goes on. */
export async function dropRun(tx: Transaction, policy: string): Promise<RetentionRun | undefined> {
  const stored = await tx.lock(retentionRunCollection, policy)
  if (stored) await tx.delete(retentionRunCollection, policy, stored.version)
  return stored?.value
}

/** Writes members of the row of a run that the transaction has locked. */
export async function noteRun(
  tx: Transaction,
  { id, value, version }: Stored<RetentionRun>,
  changes: Partial<Pick<RetentionRun, 'after' | 'done' | 'removed'>>,
): Promise<void> {
  await tx.update(retentionRunCollection, id, { ...value, ...changes }, version)
}
