import type { Comment, Literal, Name, TypeCode, Words } from './code.ts'

/** `routes.hbs` makes routes.ts: a constant an operation, and the function that binds all to their handlers. */
export interface RoutesView {
  readonly title: Words
  /** `taxonomyRoutes`. */
  readonly name: Name
  /** Each parameter once, in the order of their first operations. */
  readonly parameters: readonly ParameterView[]
  readonly routes: readonly RouteView[]
  readonly bindings: readonly BindingView[]
  /** What the function is given: `{ groups, quotas }`, or `handlers` where a group would hide another name. */
  readonly given: string
  /** The interface of all handlers. */
  readonly handlers: Name
  /** The constant that says where errors belong. */
  readonly domain: Name
  /** Types of the runtime; `ClientParameter` is '' where there are no parameters. */
  readonly ClientParameter: Name | ''
  readonly ClientRoute: Name
  readonly BoundRoute: Name
}

/** What clients know of an operation. */
export interface RouteView {
  readonly comment: Comment
  readonly name: Name
  /** The type of what is sent. */
  readonly request: Name
  /** What a caller gets. */
  readonly result: TypeCode
  /** The type of what a handler gets, or '' where it is `request`. */
  readonly parsed: Name | ''
  readonly operationId: Literal
  readonly method: Literal
  /** The parts of its path: text, name of a parameter, text ... */
  readonly path: Literal
  /** The constants of its parameters. */
  readonly parameters: readonly Name[]
  readonly body: BodyView | false
  readonly success: readonly SuccessView[]
  /** What reads a reply of one among several successes, or ''. */
  readonly replies: Name | ''
  /** Of public operations only: all else is for the server to know. */
  readonly access: Literal | ''
  /** '' for `data`. */
  readonly mode: Literal | ''
}

/** A parameter; '' stands for what is as usual at its place. */
export interface ParameterView {
  /** `queryPageSize`. */
  readonly constant: Name
  readonly name: Literal
  /** The request's member, or '' where it is `name`. */
  readonly member: Literal | ''
  readonly in: Literal
  /** How text becomes a value. */
  readonly type: Literal
  readonly style: Literal | ''
  readonly explode: Literal | ''
  /** The runtime's function that writes it. */
  readonly write: Name
}

/** A media type and how it travels. */
export interface MediaView {
  readonly type: Literal
  /** Further names of the type, or ''. */
  readonly aliases: Literal | ''
  /** `'json'`, or the codec of other media types. */
  readonly kind: string
}

/** A request's body. */
export interface BodyView {
  /** One, or several where there is a choice. */
  readonly media: readonly MediaView[]
  readonly required: Literal
  /** The runtime's function that tells several media types apart, or '' where there is one. */
  readonly choice: Name | ''
  /** The runtime's function that writes one media type, or '' where there are several. */
  readonly write: Name | ''
}

/** A declared success. */
export interface SuccessView {
  readonly status: Literal
  /** The media type of the success; false for a success without content. */
  readonly media: MediaView | false
  /** The types of its headers by name, or ''. */
  readonly headers: Literal | ''
}

/** What a server needs beside an operation's constant. */
export interface BindingView {
  /** The runtime's function that binds it. */
  readonly bind: Name
  /** The operation's constant. */
  readonly route: Name
  /** The function that answers it: `quotas.getQuota`. */
  readonly handler: string
  /** '' where the constant says it. */
  readonly access: Literal | ''
  /** The reasons that it can fail with beyond the common ones, or '' where the document does not say. */
  readonly raises: Literal | ''
  /** The member that holds a list's rows, and what it filters and sorts by. */
  readonly list: { readonly member: Literal; readonly fields: Name } | false
  /** The fields of the schema that it updates, or ''. */
  readonly fields: Name | ''
  /** The member of the body that holds what is updated, or ''. */
  readonly masked: Literal | ''
  readonly check: Name
  /** What fills the request's defaults, or '' where there are none. */
  readonly complete: Name | ''
}
