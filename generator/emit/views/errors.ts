import type { Comment, Literal, Name, Words } from './code.ts'

/** `errors.hbs` makes errors.ts: a constructor a reason. */
export interface ErrorsView {
  readonly title: Words
  /** Where errors belong; false in a document without operations. */
  readonly domain: ErrorDomainView | false
  /** The union of the reasons that calls fail with: `TaxonomyReason`. */
  readonly reasonType: Name
  /** What makes a reason of its name, its code of RPC and its number; '' where there are no constructors. */
  readonly reasonOf: Name | ''
  readonly constructors: readonly ErrorConstructor[]
  /** Reasons that no call fails with: they stand in operations. */
  readonly records: readonly ErrorRecord[]
  /** Symbols of the runtime, '' where there are no constructors. */
  readonly ApiError: Name | ''
  readonly ErrorDetails: Name | ''
  readonly RpcCode: Name | ''
}

/** The domain of a document's errors. */
export interface ErrorDomainView {
  /** The constant: `taxonomy`. */
  readonly name: Name
  /** Its name in errors. */
  readonly text: Literal
  /** The number that error codes begin at, or ''. */
  readonly base: Literal | ''
  /** A type of the runtime. */
  readonly ErrorDomain: Name
}

/** A reason that calls can fail with. */
export interface ErrorConstructor {
  readonly comment: Comment
  /** `quotaNotFound`. */
  readonly name: Name
  readonly reason: Literal
  readonly rpc: Literal
  readonly code: Literal
  /** The names of its metadata as a type declares them. */
  readonly metadata: readonly Name[]
}

/** A reason that operations end with. */
export interface ErrorRecord {
  readonly comment: Comment
  readonly name: Name
  readonly reason: Literal
  readonly code: Literal
}
