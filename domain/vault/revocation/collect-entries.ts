import type { Reader } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { listEntry } from './list-entries.ts'
import { revocationCollection } from '../revoked/lists-store.ts'

/** The number of entries that are read and encoded before other calls of the server have their turn. */
const entriesPerTurn = 200

/** The entries of a revocation list. */
export interface Entries {
  /** The bytes of the entries in DER; each buffer holds several entries. */
  readonly chunks: readonly Buffer[]
  readonly count: number
  /** The ids of the rows that the list leaves out, because an earlier list was signed after their expiry. */
  readonly ended: readonly string[]
}

/**
 * Reads the revocations of an authority in the order of their serial numbers. `lastSigned` is the time of the list
 * before: a certificate stays until the first list after its expiry (RFC 5280, 3.3). Revocations that are committed
 * during the reading may be absent.
 */
export async function collectEntries(reader: Reader, authority: string, lastSigned: number): Promise<Entries> {
  const chunks: Buffer[] = []
  const ended: string[] = []
  let batch: Buffer[] = []
  let count = 0
  for await (const { id, value } of reader.each(revocationCollection, { certificate_authority_id: authority })) {
    if (Date.parse(value.not_after_time) <= lastSigned) {
      ended.push(id)
      continue
    }
    count++
    batch.push(listEntry(value))
    if (batch.length < entriesPerTurn) continue
    chunks.push(Buffer.concat(batch))
    batch = []
    await nextTurn()
  }
  return { chunks: batch.length === 0 ? chunks : [...chunks, Buffer.concat(batch)], count, ended }
}
