import type { Literal, Name, Words } from './code.ts'

/**
 * The view of `joined-client.hbs`, which makes client.ts of the output root including its first lines: the clients of
 * all documents.
 */
export interface JoinedClientView {
  /** The number of documents in the run. */
  readonly documents: number
  /** The class: `Ninefold`. */
  readonly name: Name
  /** The module that exports `Transport`. */
  readonly transportModule: Literal
  /** The clients of the documents that have operations, in the order of the run. */
  readonly clients: readonly JoinedClient[]
}

/** The client of a document in the joined client. */
export interface JoinedClient {
  readonly title: Words
  /** The class, `TaxonomyClient`, and the module that exports the class. */
  readonly type: Name
  readonly module: Literal
  /** The private field: `taxonomyClient`. */
  readonly field: Name
  /** The accessor's name in the form of a class member: `taxonomy`. */
  readonly member: Name
}
