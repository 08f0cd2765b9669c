/** The ids of the schemas in other documents that a document uses, grouped by use; each list is sorted. */
export interface Reaches {
  /** The schemas in requests. */
  readonly input: readonly string[]
  /** The schemas in the bodies of updates. */
  readonly update: readonly string[]
  /** The schemas whose output view the document needs. */
  readonly answered: readonly string[]
  /** The schemas used as multipart forms, or as files in multipart forms. */
  readonly forms: readonly string[]
}

/**
 * The facts of a document that the rest of a run needs without building the document again. An outline is plain data.
 */
export interface Outline {
  readonly name: string
  readonly title: string
  /** The number of operations. */
  readonly operations: number
  /** The permission keys, sorted. */
  readonly permissions: readonly string[]
  /** The reasons of `x-errors` with their codes. */
  readonly reasons: readonly (readonly [reason: string, code: number])[]
  /** The reasons in `x-raises` that other documents declare. */
  readonly raises: readonly string[]
  readonly reaches: Reaches
}
