/**
 * The labels that a query needs of parsers. A metric query that groups by some labels needs no others, and parsers stop
 * when they have them, so that a line that is malformed further on is no error, as in Loki.
 */
export class WantedLabels {
  static readonly all = new WantedLabels(undefined)

  /** The names of the labels; undefined for all. */
  readonly #names: ReadonlySet<string> | undefined
  /** Whether the query asks for the errors of parsers, so that they are no errors of the query. */
  readonly keepsErrors: boolean

  constructor(names: ReadonlySet<string> | undefined) {
    this.#names = names
    this.keepsErrors = names?.has('__error__') ?? false
  }

  has(name: string): boolean {
    return this.#names?.has(name) ?? true
  }

  /** Whether a label whose name begins with a text is wanted. */
  hasPrefix(prefix: string): boolean {
    if (this.#names === undefined) return true
    for (const name of this.#names) if (name.startsWith(prefix)) return true
    return false
  }

  /** Whether all labels that the query needs are made. */
  areComplete(isMade: (name: string) => boolean): boolean {
    if (this.#names === undefined) return false
    for (const name of this.#names) if (!isMade(name)) return false
    return true
  }
}
