import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'

/** An entry as the naive evaluator sees it. */
export interface NaiveEntry {
  readonly time: bigint
  readonly number: number
  readonly stream: Labels
  line: string
  /** The labels of the stream, changed by stages. */
  readonly labels: Map<string, string>
  /** The names that parsers and formats have set. */
  readonly made: Set<string>
  error: string
}

/** A stage of a generated query: its text, and what it does with an entry; false refuses the entry. */
export interface NaiveStage {
  readonly text: string
  run(entry: NaiveEntry): boolean
}

/** Writes a string of a query. */
export const quote = (text: string): string => JSON.stringify(text)
