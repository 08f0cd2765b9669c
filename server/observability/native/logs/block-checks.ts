import { EntryBlock } from './format/entry-block.ts'
import { decodeFilter } from './format/gram-filter.ts'
import { MalformedBlock, readingBlock } from './format/malformed-block.ts'
import { decodeRuns, requireUnchanged, type BlockBounds } from './format/stream-runs.ts'

/** Selects the columns that `checkedBlock` takes. Times are texts, because their nanoseconds exceed the exact numbers. */
export const storedBlocks = `SELECT id, runs, contents.entries, details, bits, blocks.entries, first_number, last_number,
  CAST(first AS TEXT), CAST(last AS TEXT), first_ingest, last_ingest, bytes
  FROM blocks LEFT JOIN contents USING (id) LEFT JOIN filters USING (id)`

/**
 * Returns the block of a row of `storedBlocks`. Throws `MalformedBlock` for a block that is malformed, that differs from
 * its checksums, or whose row has other bounds than its entries.
 */
export function checkedBlock(row: readonly unknown[]): EntryBlock {
  const [id, runs, entries, details, bits, length, firstNumber, ...others] = row
  return readingBlock(Number(id), () => {
    if (!(runs instanceof Uint8Array && entries instanceof Uint8Array && details instanceof Uint8Array))
      throw new MalformedBlock('has no content')
    const block = new EntryBlock({ firstNumber: Number(firstNumber), runs: decodeRuns(runs), entries, details })
    if (block.length > 0) block.metadata(block.length - 1)
    const is = boundsOf(block)
    const bounds = [is.lastNumber, String(is.first), String(is.last), is.firstIngest, is.lastIngest, is.bytes]
    if (block.length !== length || is.firstNumber !== firstNumber || bounds.some((bound, i) => bound !== others[i]))
      throw new MalformedBlock('has other bounds in its row than its entries have')
    requireUnchanged(runs, is)
    if (bits instanceof Uint8Array) decodeFilter(bits)
    return block
  })
}

/** Returns the bounds of the entries of a block. */
function boundsOf(block: EntryBlock): BlockBounds {
  let [firstNumber, lastNumber, firstIngest, lastIngest] = [Infinity, -Infinity, Infinity, -Infinity]
  let first = block.time(0)
  let last = first
  for (let i = 0; i < block.length; i += 1) {
    const [number, ingest, time] = [block.number(i), block.ingestTime(i), block.time(i)]
    firstNumber = Math.min(firstNumber, number)
    lastNumber = Math.max(lastNumber, number)
    firstIngest = Math.min(firstIngest, ingest)
    lastIngest = Math.max(lastIngest, ingest)
    if (time < first) first = time
    if (time > last) last = time
  }
  return { firstNumber, lastNumber, first, last, firstIngest, lastIngest, bytes: block.lines.length }
}
