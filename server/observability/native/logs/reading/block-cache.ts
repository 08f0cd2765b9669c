import type { EntryBlock } from '../format/entry-block.ts'
import type { BlockHead } from './log-day-reader.ts'

/** The largest number of blocks in the memory. */
const mostBlocks = 64

/** The blocks that were read last in one call, because a block has the entries of several streams. */
export class BlockCache {
  readonly #blocks = new Map<BlockHead, EntryBlock>()

  read(head: BlockHead): EntryBlock {
    const known = this.#blocks.get(head)
    if (known !== undefined) return known
    const block = head.file.read(head)
    this.#blocks.set(head, block)
    const [oldest] = this.#blocks.keys()
    if (oldest !== undefined && this.#blocks.size > mostBlocks) this.#blocks.delete(oldest)
    return block
  }
}
