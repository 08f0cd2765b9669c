/*
 * What templates are filled with. Every member is always there, so that a template which names another one is an error;
 * what does not apply is '' or false, for `{{#if}}` and `{{#with}}`. All texts are code that may stand where their type
 * says, and nowhere else: a `Literal` is quoted already, and a `Comment` ends itself.
 */

/** An identifier as the file knows it: what is imported under another name is named so. */
export type Name = string

/** The code of a type, on one line. */
export type TypeCode = string

/** The code of a value, on one line: `'a'`, `['a', 'b']`, `{ kind: 'public' }`. */
export type Literal = string

/** A whole doc comment, or '' where the document says nothing. Its further lines are indented for its place. */
export type Comment = string

/** Words of the document on one line, for the inside of a comment: for `{{#doc}}`. */
export type Words = string

/** `area.hbs` makes area.ts: what a server needs to mount the document. */
export interface AreaView {
  /** `taxonomyArea`. */
  readonly name: Name
  /** The types that operations record: `TaxonomyArea`. */
  readonly type: Name
  /** `TaxonomyResourceType`, the union of `resourceTypes`. */
  readonly resourceType: Name
  /** By code point, at least one. */
  readonly resourceTypes: readonly Literal[]
  /** What operations do, without their prefix; at least one. */
  readonly operationTypes: readonly Literal[]
  /** The type of an operation's record. */
  readonly record: Name
  /** The interface of all handlers. */
  readonly handlers: Name
  /** The runtime's type of an area. */
  readonly GeneratedArea: Name
  /** The constants that the area is made of. */
  readonly domain: Name
  readonly list: Name
  readonly check: Name
  readonly filters: Name
  readonly permissions: Name
  readonly routes: Name
}

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

/** `errors.hbs` makes errors.ts: a constructor a reason. */
export interface ErrorsView {
  readonly title: Words
  /** Where errors belong; false in a document without operations. */
  readonly domain: ErrorDomainView | false
  /** The union of the reasons that calls fail with: `TaxonomyReason`. */
  readonly reasonType: Name
  readonly constructors: readonly ErrorConstructor[]
  /** Reasons that no call fails with: they stand in operations. */
  readonly records: readonly ErrorRecord[]
  /** Symbols of the runtime, '' where there are no constructors. */
  readonly ApiError: Name | ''
  readonly ErrorDetails: Name | ''
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

/** `filters.hbs` makes filters.ts: what lists are filtered and sorted by. */
export interface FiltersView {
  readonly title: Words
  /** `taxonomyFilters`. */
  readonly name: Name
  readonly lists: readonly FilteredList[]
  /** The constants of the lists that have a resource, ordered by it. */
  readonly byResource: readonly Name[]
  /** A type of the runtime. */
  readonly ListFields: Name
}

/** A list operation's fields. */
export interface FilteredList {
  /** `listQuotas`. */
  readonly operation: Name
  /** `quotasList`. */
  readonly name: Name
  /** The resource that its fields are published under, or ''. */
  readonly resource: Literal | ''
  readonly fields: readonly FilteredField[]
  readonly defaultOrder: Literal
  /** The member that tells rows apart. */
  readonly key: Literal
}

/** A field of `x-filter`; '' stands for what it does not say. */
export interface FilteredField {
  readonly name: Literal
  readonly path: Literal | ''
  readonly type: Literal
  readonly values: Literal | ''
  readonly isList: boolean
  readonly operators: Literal
  readonly isSortable: boolean
  readonly enumValues: Literal | ''
}

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

/** `permission-bits.hbs` makes permission-bits.ts of the output root, with its head. */
export interface PermissionBitsView {
  /** How many documents the run has. */
  readonly documents: number
  /** In the order of their bits. */
  readonly keys: readonly Literal[]
}

/** `permissions.hbs` makes permissions.ts: the document's part of the permission catalogue. */
export interface PermissionsView {
  readonly title: Words
  /** `taxonomyPermissions`. */
  readonly name: Name
  /** The union of the keys: `TaxonomyPermission`. */
  readonly type: Name
  /** By key, at least one. */
  readonly permissions: readonly PermissionRow[]
}

/** A permission key; '' stands for what the document does not say. */
export interface PermissionRow {
  readonly key: Literal
  readonly displayName: Literal
  readonly description: Literal | ''
  readonly class: Literal
  readonly scopeTypes: Literal
  /** '' for what is generally available. */
  readonly stage: Literal | ''
  /** The operations that carry it. */
  readonly operations: Literal
}

/** `routes.hbs` makes routes.ts: a constant an operation, and the function that binds all to their handlers. */
export interface RoutesView {
  readonly title: Words
  /** `taxonomyRoutes`. */
  readonly name: Name
  readonly routes: readonly RouteView[]
  readonly bindings: readonly BindingView[]
  /** The function's parameter: `{ groups, quotas }`, or `handlers` where a group would hide another name. */
  readonly parameter: string
  /** The interface of all handlers. */
  readonly handlers: Name
  /** The constant that says where errors belong. */
  readonly domain: Name
  /** Types of the runtime. */
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
  readonly given: Name | ''
  readonly operationId: Literal
  readonly method: Literal
  /** The parts of its path: text, name of a parameter, text ... */
  readonly path: Literal
  readonly parameters: readonly ParameterView[]
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
  /** False where it has no content. */
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

/** The view of each template. */
export interface Views {
  readonly area: AreaView
  readonly client: ClientView
  readonly errors: ErrorsView
  readonly filters: FiltersView
  readonly 'joined-client': JoinedClientView
  readonly 'permission-bits': PermissionBitsView
  readonly permissions: PermissionsView
  readonly routes: RoutesView
}
