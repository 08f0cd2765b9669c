import type { Labels } from '../metrics/samples.ts'
import type { StoredEntry } from './entry-source.ts'
import type { ShownEntry } from './evaluation/log-query.ts'
import { fieldLabels, fieldOf } from './evaluation/run-facts.ts'
import { parseLogQuery } from './language/parse.ts'
import { EntryLabels } from './pipeline/entry-labels.ts'
import { Pipeline } from './pipeline/pipeline.ts'

/** A log query as a function of one entry, for readers that follow entries as they come in. */
export class EntryFilter {
  readonly #matchers: ReturnType<typeof parseLogQuery>['matchers']
  readonly #pipeline: Pipeline
  readonly #labels = new EntryLabels()

  /** Throws SELECTOR_EMPTY and QUERY_… errors, QUERY_TYPE_INVALID for a metric query. `field` holds the query. */
  constructor(query: string, field = 'query') {
    const { matchers, stages } = parseLogQuery(query, field)
    this.#matchers = matchers
    this.#pipeline = new Pipeline(stages)
  }

  /** Whether the query selects a stream. */
  selects(stream: Labels): boolean {
    return this.#matchers.every(({ name, test }) => test((Object.hasOwn(stream, name) ? stream[name] : '') ?? ''))
  }

  /** Returns an entry of a selected stream as the query makes it; undefined if the query refuses the entry. */
  show(stream: Labels, entry: StoredEntry): ShownEntry | undefined {
    if (!this.#pipeline.admits(entry.line)) return undefined
    const labels = this.#labels
    labels.reset(stream, {
      metadata: () => entry.metadata,
      field: name => (fieldLabels.includes(name) ? fieldOf(entry, name) : undefined),
    })
    const line = this.#pipeline.run(entry.line, labels)
    if (line === undefined) return undefined
    return { entry, line, labels: labels.labels(), metadata: labels.metadata() }
  }
}
