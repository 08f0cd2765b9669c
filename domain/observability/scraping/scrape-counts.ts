/** The outcomes of scrapes: the target was up or down, or its samples could not be written. */
export const scrapeOutcomes = ['up', 'down', 'not_written'] as const

/** The outcome of a scrape. */
export type ScrapeOutcome = (typeof scrapeOutcomes)[number]

/** Counts the scrapes of this server, for its metrics. */
export class ScrapeCounts {
  readonly #scrapes = new Map<ScrapeOutcome, number>()
  #samples = 0
  #seconds = 0
  /** The targets that this server scrapes now. */
  targets = 0

  /** Counts a scrape with the samples that were written, and its duration in milliseconds. */
  scraped(outcome: ScrapeOutcome, samples: number, durationMs: number): void {
    this.#scrapes.set(outcome, this.scrapes(outcome) + 1)
    this.#samples += samples
    this.#seconds += durationMs / 1000
  }

  scrapes(outcome: ScrapeOutcome): number {
    return this.#scrapes.get(outcome) ?? 0
  }

  /** The samples that scrapes have written. */
  get samples(): number {
    return this.#samples
  }

  /** The seconds that all scrapes have taken together. */
  get seconds(): number {
    return this.#seconds
  }
}
