import type { Labels } from '../../metrics/samples.ts'
import type { EntryRun, StoredEntry } from '../entry-source.ts'
import type { EntryFacts } from '../pipeline/entry-labels.ts'

/** Members of entries that stages and groupings see as labels, if the entry has no label of the name. */
export const fieldLabels: readonly string[] = ['severity', 'trace_id', 'span_id']

/** Returns the value of a member that is seen as a label; undefined if the entry has none. */
export function fieldOf({ severity, traceId, spanId }: StoredEntry, name: string): string | undefined {
  const value = name === 'severity' ? severityName(severity) : name === 'trace_id' ? traceId : spanId
  return value === '' ? undefined : value
}

/** The name of a severity without its prefix, such as `ERROR`; empty for an unspecified one. */
function severityName(severity: StoredEntry['severity']): string {
  const name = severity.replace('OBSERVABILITY_LOG_SEVERITY_', '')
  return name === 'UNSPECIFIED' ? '' : name
}

/** The facts of one entry of a run after the other. */
export class RunFacts implements EntryFacts {
  #run: EntryRun | undefined
  #index = 0

  /** Goes to an entry. */
  at(run: EntryRun, index: number): this {
    this.#run = run
    this.#index = index
    return this
  }

  metadata(): Labels {
    return this.#run?.metadata(this.#index) ?? {}
  }

  field(name: string): string | undefined {
    if (this.#run === undefined || !fieldLabels.includes(name)) return undefined
    return fieldOf(this.#run.entry(this.#index), name)
  }
}
