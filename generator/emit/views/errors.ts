import type { Comment, Literal, Name, TypeCode, Words } from './code.ts'

/**
 * The view of `errors.hbs`, which makes errors.ts: a constructor for each reason with which a call can fail, and a
 * constant for each reason that only operation records have.
 */
export interface ErrorsView {
  readonly title: Words
  /** The domain of the errors; false for a document without operations. */
  readonly domain: ErrorDomainView | false
  /** The union of the reasons with which calls fail: `TaxonomyReason`. */
  readonly reasonType: Name
  /**
   * The function that makes a reason from a name, an RPC code and a number, and adds the domain; '' without
   * constructors.
   */
  readonly reasonOf: Name | ''
  readonly constructors: readonly ErrorConstructor[]
  /** The reasons that only occur in the records of operations: no call fails with these reasons. */
  readonly records: readonly ErrorRecord[]
  /** Symbols of the runtime; '' without constructors. */
  readonly ApiError: Name | ''
  /** The runtime's type of optional details; '' if every constructor requires details. */
  readonly ErrorDetails: Name | ''
  readonly RpcCode: Name | ''
}

/** The domain of a document's errors. */
export interface ErrorDomainView {
  /** The constant: `taxonomy`. */
  readonly name: Name
  /** The name of the domain in errors. */
  readonly text: Literal
  /** The first number of the domain's error codes, or '' if the document has only common codes. */
  readonly base: Literal | ''
  /** The runtime's type of an error domain. */
  readonly ErrorDomain: Name
}

/** A reason with which calls can fail. */
export interface ErrorConstructor {
  readonly comment: Comment
  /** The constructor: `quotaNotFound`. */
  readonly name: Name
  readonly reason: Literal
  readonly rpc: Literal
  readonly code: Literal
  /** The names of the reason's metadata, in the form of type members. */
  readonly metadata: readonly Name[]
  /** The type of the details that each error with the reason must have; '' if the details are optional. */
  readonly details: TypeCode | ''
}

/** A reason that only operation records have. */
export interface ErrorRecord {
  readonly comment: Comment
  readonly name: Name
  readonly reason: Literal
  readonly code: Literal
}
