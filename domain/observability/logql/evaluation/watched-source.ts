import type { EntryPart, EntrySelection, EntrySource } from '../entry-source.ts'

/** A source that remembers its selections. */
export class WatchedSource implements EntrySource {
  readonly #source: EntrySource
  readonly #selections: EntrySelection[] = []

  constructor(source: EntrySource) {
    this.#source = source
  }

  select(selection: EntrySelection): readonly EntryPart[] {
    this.#selections.push(selection)
    return this.#source.select(selection)
  }

  /**
   * Whether a stream of some selection has an entry between its times, whatever its line is: an index may have ruled
   * lines out unseen. The reads are charged as part of the query.
   */
  hasEntries(): boolean {
    return this.#selections.some(selection =>
      this.#source.select({ ...selection, required: [] }).some(part => part.read().length > 0),
    )
  }
}
