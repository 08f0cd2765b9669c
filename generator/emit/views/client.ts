import type { Comment, Literal, Name, TypeCode, Words } from './code.ts'

/** `client.hbs` makes client.ts: a class with a method an operation. */
export interface ClientView {
  readonly title: Words
  /** `TaxonomyClient`. */
  readonly name: Name
  readonly operations: readonly ClientOperation[]
  /** False where no operation answers a record that can be waited for. */
  readonly waiter: Waiter | false
  /** Symbols of the runtime; `iterate` is '' where there is no list. */
  readonly Transport: Name
  readonly CallOptions: Name
  readonly send: Name
  readonly iterate: Name | ''
}

/** An operation as a method of a client. */
export interface ClientOperation {
  readonly comment: Comment
  /** The method's name as a class declares it: quoted where it must be. */
  readonly name: Name
  /** The type of what is sent. */
  readonly request: Name
  /** Whether nothing needs to be sent. */
  readonly isOptional: boolean
  /** What a caller gets; `void` where the answer is empty. */
  readonly result: TypeCode
  /** The route's constant. */
  readonly route: Name
  /** Of a list, what goes through its pages. */
  readonly iterator: Iterator | false
}

/** A list's second method. */
export interface Iterator {
  readonly name: Name
  /** The type of a row. */
  readonly row: TypeCode
  /** The member of the answer that holds the rows. */
  readonly member: Literal
}

/** What waits for an operation to end. */
export interface Waiter {
  /** The type of an operation's record. */
  readonly record: TypeCode
  /** The route that reads it. */
  readonly route: Name
  /** Symbols of the runtime. */
  readonly wait: Name
  readonly WaitOptions: Name
}
