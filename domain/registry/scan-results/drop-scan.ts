import type { Transaction } from '../../ports/store.ts'
import { dropRow } from '../drop-row.ts'
import { deleteParts } from './result-rows.ts'
import { scanCollection, waitingCollection } from './scans-store.ts'

/** Deletes the scan of an artifact that is deleted, with all its results. */
export async function dropScan(tx: Transaction, id: string): Promise<void> {
  await dropRow(tx, waitingCollection, id)
  const scan = await tx.lock(scanCollection, id)
  if (!scan) return
  await tx.delete(scanCollection, id, scan.version)
  while (!(await deleteParts(tx, id, [])));
}
