import type { EntryRun, StoredEntry } from '../../../../../domain/observability/logql/entry-source.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import type { EntryBlock } from '../format/entry-block.ts'

/** Indices of a block: those from `first` up to `last`, or a list of some, ascending. */
export type BlockIndices = { readonly first: number; readonly last: number } | Uint32Array

/** Some entries of a block, which belong to one stream. */
export class BlockRun implements EntryRun {
  readonly length: number
  readonly #block: EntryBlock
  readonly #first: number
  readonly #list: Uint32Array | undefined

  constructor(block: EntryBlock, indices: BlockIndices) {
    this.#block = block
    this.#list = indices instanceof Uint32Array ? indices : undefined
    this.#first = 'first' in indices ? indices.first : 0
    this.length = 'first' in indices ? indices.last - indices.first : indices.length
  }

  time(index: number): bigint {
    return this.#block.time(this.#at(index))
  }

  number(index: number): number {
    return this.#block.number(this.#at(index))
  }

  line(index: number): string {
    return this.#block.line(this.#at(index))
  }

  metadata(index: number): Labels {
    return this.#block.metadata(this.#at(index))
  }

  entry(index: number): StoredEntry {
    return this.#block.entry(this.#at(index))
  }

  #at(index: number): number {
    return this.#list === undefined ? this.#first + index : (this.#list[index] ?? 0)
  }
}
