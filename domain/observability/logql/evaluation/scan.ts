import { limitExceeded, type QueryBudget } from '../../promql/evaluation/query-budget.ts'

/** The most bytes of lines that a query may scan: 1 GiB. */
export const maxScannedBytes = 2 ** 30

/** Counts what a query scans. */
export class Scan {
  entries = 0
  bytes = 0
  readonly #budget: QueryBudget

  constructor(budget: QueryBudget) {
    this.#budget = budget
  }

  /** Counts entries and the bytes of their lines. Throws QUERY_LIMIT_EXCEEDED or QUERY_TIMEOUT. */
  charge(entries: number, bytes: number): void {
    this.entries += entries
    this.bytes += bytes
    if (this.bytes > maxScannedBytes) {
      const description = `a query may scan ${maxScannedBytes} bytes of lines; use a shorter range or more matchers`
      throw limitExceeded('bytes', description)
    }
    this.#budget.spend(entries)
  }
}
