import type { Comment, Literal, Name, TypeCode, Words } from './code.ts'

/**
 * The view of `routes.hbs`, which makes routes.ts: a constant for each operation, and the function that binds all
 * operations to their handlers.
 */
export interface RoutesView {
  readonly title: Words
  /** The binding function: `taxonomyRoutes`. */
  readonly name: Name
  /** The distinct parameters, in the order of their first use. */
  readonly parameters: readonly ParameterView[]
  readonly routes: readonly RouteView[]
  readonly bindings: readonly BindingView[]
  /**
   * The parameter of the binding function: `{ groups, quotas }`, or `handlers` if the name of a group is no identifier
   * or would hide another name.
   */
  readonly given: string
  /** The interface of all handlers. */
  readonly handlers: Name
  /** The constant with the domain of the errors. */
  readonly domain: Name
  /** Types of the runtime; `ClientParameter` is '' without parameters. */
  readonly ClientParameter: Name | ''
  readonly ClientRoute: Name
  readonly BoundRoute: Name
}

/** The data of an operation that clients need. */
export interface RouteView {
  readonly comment: Comment
  readonly name: Name
  /** The type of the request that a caller sends. */
  readonly request: Name
  /** The type of the result that a caller gets. */
  readonly result: TypeCode
  /** The type of the request that a handler gets, or '' if it equals `request`. */
  readonly parsed: Name | ''
  readonly operationId: Literal
  readonly method: Literal
  /** The parts of the path: a text, the name of a parameter, a text, and so on. */
  readonly path: Literal
  /** The URL of the operation's own server, or ''. */
  readonly server: Literal | ''
  /** The constants of the operation's parameters. */
  readonly parameters: readonly Name[]
  readonly body: BodyView | false
  readonly success: readonly SuccessView[]
  /** The runtime's function that reads replies, or '' if the result of the operation is no `Reply`. */
  readonly replies: Name | ''
  /** The options of `fetch` for an operation that declares a redirection as a success, or ''. */
  readonly init: Literal | ''
  /** The access of a public operation, or ''; the access of other operations is data of the server. */
  readonly access: Literal | ''
  /** The mode of the operation; '' for `data`. */
  readonly mode: Literal | ''
}

/** A parameter; a text is '' if the value is the default of the parameter's location. */
export interface ParameterView {
  /** The constant: `queryPageSize`. */
  readonly constant: Name
  readonly name: Literal
  /** The member of the request, or '' if it equals `name`. */
  readonly member: Literal | ''
  readonly in: Literal
  /** The conversion of text to a value. */
  readonly type: Literal
  readonly style: Literal | ''
  readonly explode: Literal | ''
  /** `true` if an empty text is a value of any type, or ''. */
  readonly allowEmpty: Literal | ''
  /** The runtime's form of JSON with 64-bit integers, or ''. */
  readonly json: string
  /** The runtime's function that writes the parameter. */
  readonly write: Name
}

/** A media type and its codec. */
export interface MediaView {
  readonly type: Literal
  /** Further names of the type, or ''. */
  readonly aliases: Literal | ''
  /** `'json'`, or the codec of other media types. */
  readonly kind: string
}

/** A request's body. */
export interface BodyView {
  /** A single media type, or several media types if the caller has a choice. */
  readonly media: readonly MediaView[]
  readonly required: Literal
  /** The runtime's function that chooses the codec by content type, or '' for a single media type that is no range. */
  readonly choice: Name | ''
  /** The runtime's function that writes a single media type, or '' for several media types and for a range. */
  readonly write: Name | ''
}

/** A declared success. */
export interface SuccessView {
  readonly status: Literal
  /** The media type of the success; false for a success without content. */
  readonly media: MediaView | false
  /** The conversions of the headers, keyed by header name, or '' without headers. */
  readonly headers: Literal | ''
}

/** The data of an operation that only the server needs, in addition to the operation's constant. */
export interface BindingView {
  /** The runtime's function that binds the operation. */
  readonly bind: Name
  /** The operation's constant. */
  readonly route: Name
  /** The function that handles the operation: `quotas.getQuota`. */
  readonly handler: string
  /** The access of the operation; '' without `x-access`, and for a public operation, whose constant has the access. */
  readonly access: Literal | ''
  /**
   * The reasons with which the operation can fail in addition to the common reasons, or '' if the document does not
   * list them.
   */
  readonly raises: Literal | ''
  /** The query parameters in which callers may send an API key, or ''. */
  readonly queryKeys: Literal | ''
  /**
   * The member that holds a list's rows, and the constant of its filter and sort fields; false for other operations.
   */
  readonly list: { readonly member: Literal; readonly fields: Name } | false
  /** The constant with the fields of the updated schema, or ''. */
  readonly fields: Name | ''
  /** The member of the body that holds the updated value, or ''. */
  readonly masked: Literal | ''
  /** The place of the etag of the operation's resource, or ''. */
  readonly etag: Literal | ''
  readonly check: Name
  /** The function that completes the request, or '' if completing changes no request. */
  readonly complete: Name | ''
}
