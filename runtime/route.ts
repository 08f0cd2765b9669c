import type { CallContext } from './context.ts'
import type { ErrorDomain } from './errors.ts'
import type { Fields } from './field-mask.ts'
import type { ListFields } from './filter/types.ts'
import type { FormRule } from './form-rules.ts'
import type { ChoiceCodec, ClientBody, OneKind, RequestBody } from './media.ts'
import type { PageTokens } from './page-token.ts'
import type { Parameter, ParameterType } from './parameters/types.ts'
import type { WriteParameter } from './parameters/write.ts'
import type { Faults } from './validation.ts'

/** The HTTP methods of operations. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** A parameter for clients, which load only the writers of their own operations. */
export interface ClientParameter extends Parameter {
  readonly write: WriteParameter
}

/** A success answer. `kind` is absent for a success without a body. `status: 'default'` stands for every status. */
export interface Success {
  readonly status: number | 'default' | '2XX'
  /** The content type or range; with a choice, all types but `application/json`, which clients always accept. */
  readonly type?: string
  readonly kind?: OneKind | ChoiceCodec
  /** The declared headers, keyed by name; present only if `replies` is set. */
  readonly headers?: Readonly<Record<string, ParameterType>>
}

/** The `x-access` of an operation as data (conventions §22); absent in documents without `x-access`. */
export type Access =
  | {
      readonly kind: 'permission'
      readonly key: string
      readonly class: 'READ' | 'WRITE' | 'ADMIN' | 'DATA'
      readonly scope: 'platform' | 'path' | 'row' | 'parent' | 'body' | 'filtered'
      readonly scopeTypes?: readonly string[]
      readonly own?: true
      readonly bearerOptional?: true
    }
  /** `bearerOptional`: a token is not needed, but is verified if the request has one. */
  | { readonly kind: 'public'; readonly bearerOptional?: true }
  | { readonly kind: 'own' }
  | { readonly kind: 'authenticated' }

declare const types: unique symbol

/**
 * An operation as data, with the parts that clients need. `Request` is the request of a caller, `Result` the result for
 * a caller, `Given` the request of the handler with defaults filled.
 */
export interface ClientRoute<Request, Result, Given extends Request = Request> {
  readonly operationId: string
  readonly method: Method
  /**
   * The literal texts and the parameter names of the path alternately, a literal text first:
   * `['/quotas/', 'id', ':reset']`.
   */
  readonly path: readonly string[]
  /** The URL of the operation's own server, absolute or relative; `onServer` makes the transport to it. */
  readonly server?: string
  /** All parameters, the parameters of the path included. */
  readonly parameters?: readonly ClientParameter[]
  readonly body?: ClientBody
  /** The declared successes in the order of the document, at least one. */
  readonly success: readonly [Success, ...Success[]]
  /**
   * The function `readReply` if handlers and clients exchange `Reply` values (several successes, or declared headers).
   */
  readonly replies?: ReadReply
  /** Present if a success is a redirection, which callers get instead of the answer of its target, but not in browsers. */
  readonly init?: { readonly redirect: 'manual' }
  /** The access rule. Clients send no token to a public operation, and ignore all other kinds of access. */
  readonly access?: Access
  /** The mode of the operation. Absent: `data`, which changes no resource and needs no Idempotency-Key. */
  readonly mode?: 'sync' | 'async' | 'data'
  readonly [types]?: { readonly request: Request; readonly result: Result; readonly given: Given }
}

/** The members of a route that only servers need; clients do not load these members. */
export interface Rules<Request, Given extends Request = Request> {
  readonly domain: ErrorDomain
  readonly access?: Access
  /** The reasons that the operation may throw beyond the common block; absent: any reason. */
  readonly raises?: readonly string[]
  /** The query parameters in which callers may send an API key; authentication reads them, and handlers do not. */
  readonly queryKeys?: readonly string[]
  /** The member with the rows and the fields for filter and order; present only for a list of `x-filter`. */
  readonly list?: { readonly member: string; readonly fields: ListFields }
  /**
   * The place of the resource's etag, whose name is always `etag`: a member of the request's body, a query parameter, or
   * a member of the answer. Absent if the operation is not on one resource, or if the resource has no etag.
   */
  readonly etag?: 'body' | 'query' | 'answer'
  /** The update rules of the body of an operation with `update_mask`. */
  readonly fields?: Fields
  /** The member of the body that `fields` describe, if `update_mask` is a member of the body too. */
  readonly masked?: string
  /**
   * The path parameter that may contain slashes. The parameter takes any text of at least one character, and as much of
   * the path as the rest of the route allows: for `['/v2/', 'name', '/blobs/', 'digest']` and `/v2/a/blobs/b/blobs/c`
   * the name is `a/blobs/b`. The text is decoded once like other parameters; the path of the context shows whether a
   * slash was sent as `%2F`. Each text between two parameters of such a route must have a slash.
   */
  readonly catchAll?: string
  /** Checks a request; adds its faults to `faults`, with fields in the form of conventions §7. */
  readonly check: (request: unknown, faults: Faults) => request is Request
  /** Fills defaults and drops output-only members of a request; absent if there is nothing to change. */
  complete?(request: Request): Given
}

/** An operation for servers, without the functions with which clients write requests and read replies. */
export interface Route<Request, Result, Given extends Request = Request>
  extends Omit<ClientRoute<Request, Result, Given>, 'parameters' | 'body' | 'replies'>, Rules<Request, Given> {
  readonly parameters?: readonly Parameter[]
  readonly body?: RequestBody
  readonly replies?: true | ReadReply
}

/**
 * The answer of an operation with several declared successes or headers. The headers have the names of the document.
 */
export type Reply<Status extends number, Body = undefined, Headers = undefined> = {
  readonly status: Status
} & Part<'body', Body> &
  Part<'headers', Headers>

/** A member of a `Reply`, which may be left out if the document does not declare it. */
type Part<Name extends string, Value> = undefined extends Value
  ? { readonly [Member in Name]?: Value }
  : { readonly [Member in Name]: Value }

/** A route with its handler, ready to be served. The types of its request and result are erased; its checks remain. */
export interface BoundRoute {
  readonly route: Route<unknown, unknown>
  /**
   * Returns the handler's answer. Throws `ApiError` FIELD_INVALID with all `faults` if the request is invalid or
   * `faults` is not empty, then the errors of a mask or of list parameters. Lists need `tokens`. A body with a fault by
   * `rules` is invalid too.
   */
  readonly run: (
    request: unknown,
    faults: Faults,
    context: CallContext,
    tokens?: PageTokens,
    rules?: readonly FormRule[],
  ) => Promise<unknown>
}

/** The types of an area's operations, generated as `<Area>Area`. */
export interface AreaTypes {
  /** The operation record. */
  readonly record: { readonly id: string }
  /** The type of an operation, without the area's prefix, such as `CREATE`. */
  readonly operationType: string
  /** The type of an operation's resource, such as `taxonomy.quotas`. */
  readonly resourceType: string
}

/** An area for a server, generated as `<area>Area` from the document alone. */
export interface GeneratedArea<Types extends AreaTypes, Handlers> {
  /** The name of the area, and the base of its error codes. */
  readonly domain: ErrorDomain
  /** The fields of `listOperations`, and the check of the operation record. */
  readonly operations: {
    readonly list: ListFields
    readonly check: (value: unknown, faults: Faults) => value is Types['record']
  }
  /** The fields of all lists. */
  readonly filters: readonly ListFields[]
  /** The permission keys of the operations, and the permission keys that only a data plane checks. */
  readonly permissions: readonly object[]
  /** Binds handlers to the routes. */
  readonly routes: (handlers: Handlers) => readonly BoundRoute[]
  readonly [areaTypes]?: Types
}

declare const areaTypes: unique symbol

/** Reads an answer as a `Reply`. Returns undefined for an answer whose status is neither declared nor 2xx. */
export type ReadReply = (route: ClientRoute<unknown, unknown>, answer: Response) => Promise<unknown> | undefined
