import type { Transaction } from '../ports/store.ts'
import type { Kind } from './kind.ts'
import { referencesTo } from './references.ts'
import type { Row } from './row.ts'

/**
 * Throws the kind's `*_IN_USE`, with the number of referring rows of each type, if other rows refer to the row
 * (conventions §3).
 */
export async function requireUnused<T extends Row>(
  tx: Transaction,
  { inUse, noun, type }: Kind<T>,
  { id }: T,
): Promise<void> {
  const holders = inUse ? [...(await referencesTo(tx, { type, id }))] : []
  if (!inUse || holders.length === 0) return
  throw inUse(`${noun} ${id} is in use; first delete the rows that refer to it`, {
    resource: { type, name: id },
    precondition: holders.map(([holder, count]) => ({ type: holder, subject: id, description: `${count} left` })),
  })
}
