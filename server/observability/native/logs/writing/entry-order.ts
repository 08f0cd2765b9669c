import { BlockBuilder, type BlockEntry, type BuiltBlock } from '../format/block-builder.ts'
import type { Effort } from '../format/compressed.ts'

/** The bytes of lines and details, and the number of entries, after which a block ends. */
const blockBytes = 256 * 1024
const blockEntries = 16_384

/** Compares entries by stream, time and ingest number, the order of blocks. */
export const byStream = (one: BlockEntry, other: BlockEntry): number =>
  one.stream - other.stream || (one.time < other.time ? -1 : one.time > other.time ? 1 : 0) || one.number - other.number

/** Builds blocks of entries in the order of blocks, one at a time. */
export function* blocksOf(entries: Iterable<BlockEntry>, effort: Effort): Generator<BuiltBlock, void, undefined> {
  let builder = new BlockBuilder()
  for (const entry of entries) {
    if (builder.length > 0 && builder.bytes + entry.line.length + entry.detail.length > blockBytes) {
      yield builder.build(effort)
      builder = new BlockBuilder()
    }
    builder.add(entry)
    if (builder.length < blockEntries) continue
    yield builder.build(effort)
    builder = new BlockBuilder()
  }
  if (builder.length > 0) yield builder.build(effort)
}
