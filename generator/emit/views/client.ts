import type { Comment, Literal, Name, TypeCode, Words } from './code.ts'

/** The view of `client.hbs`, which makes client.ts: a class with a method for each operation. */
export interface ClientView {
  readonly title: Words
  /** The class: `TaxonomyClient`. */
  readonly name: Name
  readonly operations: readonly ClientOperation[]
  /** The method that waits for an operation; false if no operation returns a record that can be waited for. */
  readonly waiter: Waiter | false
  /** Symbols of the runtime; `iterate` is '' if there is no list. */
  readonly Transport: Name
  readonly CallOptions: Name
  readonly send: Name
  readonly iterate: Name | ''
}

/** An operation as a method of a client. */
export interface ClientOperation {
  readonly comment: Comment
  /** The method's name in the form of a class member: in quotes or brackets if necessary. */
  readonly name: Name
  /** The type of the request. */
  readonly request: Name
  /** Whether the request may be omitted. */
  readonly isOptional: boolean
  /** The type of the result; `void` for an empty answer. */
  readonly result: TypeCode
  /** The route's constant. */
  readonly route: Name
  /** The runtime's function that makes the transport to the operation's own server, or '' without such a server. */
  readonly onServer: Name | ''
  /** The method that iterates over the rows of a list; false for other operations. */
  readonly iterator: Iterator | false
}

/** The second method of a list, which iterates over all rows. */
export interface Iterator {
  readonly name: Name
  /** The type of a row. */
  readonly row: TypeCode
  /** The member of the answer that holds the rows. */
  readonly member: Literal
}

/** The method that waits for an operation to end. */
export interface Waiter {
  /** The type of an operation's record. */
  readonly record: TypeCode
  /** The constant of the route that reads the record. */
  readonly route: Name
  /** The runtime's function that makes the transport to that route's own server, or ''. */
  readonly onServer: Name | ''
  /** Symbols of the runtime. */
  readonly wait: Name
  readonly WaitOptions: Name
}
