// Copied by ninefold. Do not edit: generate writes it again.

/** The conversion of values of JSON to text and back. */
export interface JsonForm {
  /** Returns the value of a text as `parseJson` of json.ts does. */
  parse(text: string, maxDepth: number): unknown
  write(value: unknown): string
}

/** The type of a value without items and members. A `literal` is a number or a boolean, whichever its text is. */
export type Scalar = 'string' | 'integer' | 'number' | 'boolean' | 'bigint' | 'literal'

/**
 * The type of a member of an object. Only the style `deepObject` has objects in objects. `any` is a text, a list of
 * repeated texts, or an object of such members.
 */
export type MemberType = Scalar | 'any' | { readonly array: Scalar } | ObjectType

export interface ObjectType {
  /** The types of the declared members, keyed by name. */
  readonly object: Readonly<Record<string, MemberType>>
  /** The type of a value of the style `deepObject` that is no object. */
  readonly or?: Scalar
  /**
   * The type of undeclared members; absent: text, and none in an exploded `form`. There, the undeclared members are all
   * texts that the parameters before this one have not taken.
   */
  readonly further?: MemberType
}

/** The type to which the text of a parameter is converted. */
export type ParameterType =
  | Scalar
  | { readonly array: Scalar }
  | ObjectType
  /** `content: application/json`: the text is a JSON document. */
  | 'json'

/** A parameter of an operation, as data. An absent member has the default of OpenAPI. */
export interface Parameter {
  /** The name in the request. */
  readonly name: string
  /** The name of the parameter's member in the request object, if another parameter or `body` has the same `name`. */
  readonly member?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly type: ParameterType
  /** The style of the value; absent: `form` in query and cookie, `simple` in path and header. */
  readonly style?: 'form' | 'simple' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'label' | 'matrix'
  /** Whether lists and objects are exploded; absent: true with `form` and `deepObject`, else false. */
  readonly explode?: boolean
  /** True if an empty text means true for a boolean, and an absent value for a number. */
  readonly allowEmpty?: true
  /** The form of JSON with 64-bit integers; absent: `JSON`. */
  readonly json?: JsonForm
}

/** A member of a form, which is written like a query parameter. */
export interface Field extends Pick<Parameter, 'name' | 'type' | 'style' | 'explode' | 'json'> {
  /** True if reserved characters such as `/` are sent without encoding. */
  readonly reserved?: true
  /** True if an absent member means null. */
  readonly orNull?: true
}
