import type { LogExclusion } from '../../../output/observability/types.ts'
import { EntryFilter } from '../logql/entry-filter.ts'
import type { StoredEntry } from '../logql/entry-source.ts'
import type { Labels } from '../metrics/samples.ts'

/** The rules by which a sink chooses entries: log queries in LogQL. */
export interface SinkRules {
  /** Empty for all entries. */
  readonly filter: string
  readonly exclusions: readonly LogExclusion[]
}

/** The rules of a sink as a function of one entry. The stages of a query choose; they do not change an entry. */
export class SinkFilter {
  readonly #chosen: EntryFilter | undefined
  readonly #excluded: readonly EntryFilter[]

  /** Throws SELECTOR_EMPTY and QUERY_… errors at the field of the faulty query. */
  constructor({ exclusions, filter }: SinkRules) {
    this.#chosen = filter === '' ? undefined : new EntryFilter(filter, 'filter')
    this.#excluded = exclusions
      .map(({ disabled, filter: query }, i) => ({
        disabled,
        filter: new EntryFilter(query, `exclusions[${i}].filter`),
      }))
      .filter(({ disabled }) => !disabled)
      .map(exclusion => exclusion.filter)
  }

  /** Whether entries of a stream may be exported. */
  selects(stream: Labels): boolean {
    return this.#chosen?.selects(stream) ?? true
  }

  /** Whether an entry of a selected stream is exported. */
  takes(stream: Labels, entry: StoredEntry): boolean {
    if (this.#chosen !== undefined && this.#chosen.show(stream, entry) === undefined) return false
    return !this.#excluded.some(each => each.selects(stream) && each.show(stream, entry) !== undefined)
  }
}
