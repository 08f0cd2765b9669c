import type { Literal, Name, Words } from './code.ts'

/** `joined-client.hbs` makes client.ts of the output root, with its head: the clients of all documents. */
export interface JoinedClientView {
  /** How many documents the run has. */
  readonly documents: number
  /** `Ninefold`. */
  readonly name: Name
  /** The module that exports `Transport`. */
  readonly transportModule: Literal
  /** Of the documents that have operations, in the order of the run. */
  readonly clients: readonly JoinedClient[]
}

/** A document's client among others. */
export interface JoinedClient {
  readonly title: Words
  /** `TaxonomyClient`, and the module that exports it. */
  readonly type: Name
  readonly module: Literal
  /** `taxonomyClient`. */
  readonly field: Name
  /** The accessor's name as a class declares it: `taxonomy`. */
  readonly member: Name
}
