/** The outcomes of attempts to export a batch. */
export const exportOutcomes = ['written', 'failed'] as const

/** The outcome of an attempt to export a batch. */
export type ExportOutcome = (typeof exportOutcomes)[number]

/** Counts what log sinks have exported on this server, for its metrics. */
export class SinkCounts {
  readonly #batches = new Map<ExportOutcome, number>()
  #entries = 0

  /** Counts an attempt, with the number of entries that it has exported. */
  attempted(outcome: ExportOutcome, entries: number): void {
    this.#batches.set(outcome, this.batches(outcome) + 1)
    this.#entries += entries
  }

  batches(outcome: ExportOutcome): number {
    return this.#batches.get(outcome) ?? 0
  }

  /** The number of all exported entries. */
  get entries(): number {
    return this.#entries
  }
}
