import type { Position } from '../position.ts'
import type { Server } from '../read/servers.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/**
 * The documents that a run generates; a partial run leaves out the documents whose cached output is reused. The
 * emitters read documents only through this model, which is read-only and free of OpenAPI's own shapes. Lists keep the
 * order of the document unless their comments name another order.
 */
export interface Model {
  readonly documents: readonly Document[]
  /** The properties of any type in branches of intersections whose other branches have a property of the same name. */
  readonly shared: ReadonlySet<Property>
  /** The JSON contents of successes that contain integers beyond 2^53. */
  readonly exact: ReadonlySet<Content>
  /** The ids of the schemas that contain integers of the format `int64`, directly or by references. */
  readonly int64s: ReadonlySet<string>
  /**
   * Whether documents depend on each other beyond their `Outline`. If so, a change of one document can change the
   * output of all documents, and all documents must be built together.
   */
  readonly isInterwoven: boolean
}

/** The model of an entry document. */
export interface Document {
  /**
   * The name of the document, such as `taxonomy`: the prefix of generated names and, in a run of several documents, the
   * name of the output folder. The default name is the camel case of the file name without its ending.
   */
  readonly name: string
  /** The path of the entry file, relative to the working directory. */
  readonly source: string
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /**
   * The ErrorInfo.domain, and the first code of the document's block; `base` is undefined if the document declares no
   * codes of its own.
   */
  readonly domain: { readonly name: string; readonly base: number | undefined }
  /** The first server of the document. */
  readonly server: Server | undefined
  readonly schemas: readonly NamedSchema[]
  readonly operations: readonly Operation[]
  /** The operations, grouped by their first tag; each operation is in exactly one group. */
  readonly groups: readonly Group[]
  /** The reasons of `x-errors`. */
  readonly errors: readonly ErrorReason[]
  /** The distinct permissions of `x-access` and `x-permissions`, sorted by key. */
  readonly permissions: readonly Permission[]
}

/**
 * The direction in which a schema travels. The members and values of a schema depend on the direction (architecture §3,
 * views).
 */
export type View = 'output' | 'input' | 'update'

/** A schema with its own name. */
export interface NamedSchema {
  /** The id, unique in the run: `<document>.<name>`. A `ref` holds the id of its target. */
  readonly id: string
  /** The TypeScript name of the output view, such as `Organisation`. */
  readonly name: string
  /** The name in the document, if it is not in the case of TypeScript or was taken. */
  readonly source: string | undefined
  readonly document: string
  readonly schema: Schema
  /**
   * The type names of the views. A view that equals another view has the same name as that view. The names do not
   * depend on which views are generated.
   */
  readonly views: Readonly<Record<View, string>>
  /**
   * The type name of the input view with filled defaults, such as `ParsedOrganisation`; equals `name` if the input view
   * has no separate name.
   */
  readonly parsedName: string
  /**
   * Whether the output view is generated. A schema that only requests contain needs no output view if its input view
   * has its own name.
   */
  readonly isAnswered: boolean
  /** Whether requests contain the schema, directly or through references. */
  readonly isSent: boolean
  /**
   * Whether a member that requests send has a default, directly or through references. The generated `complete`
   * function fills these members.
   */
  readonly hasDefaults: boolean
  /** Whether the schema contains itself, directly or through other schemas. */
  readonly isRecursive: boolean
  readonly resource: { readonly type: string; readonly plural: string } | undefined
  readonly position: Position
}

/** The members of every kind of schema. */
export interface SchemaBase {
  readonly description?: string
  readonly nullable?: true
  readonly deprecated?: true
  readonly default?: Json
  /** The decimal text of a default that is an integer beyond 2^53. */
  readonly exactDefault?: string
  /** True if the document omits `type` and the keywords imply the kind. Values of other kinds pass unchecked. */
  readonly implied?: true
  /** The example in the document; the example may not fit the schema. */
  readonly example?: unknown
  readonly position: Position
}

/** A schema of any kind. The parts of a schema are schemas too; a `ref` holds the id of a named schema. */
export type Schema = SchemaBase &
  (
    | {
        readonly kind: 'string'
        readonly format?: string
        readonly minLength?: number
        readonly maxLength?: number
        readonly pattern?: string
      }
    | {
        readonly kind: 'number'
        readonly integer: boolean
        readonly format?: string
        readonly minimum?: number
        readonly maximum?: number
        readonly exclusiveMinimum?: true
        readonly exclusiveMaximum?: true
        readonly multipleOf?: number
        /** True for the format `int64`, if the bounds allow integers beyond 2^53. */
        readonly wide?: true
        /** The decimal texts of bounds of the format `int64` that a number cannot hold. */
        readonly exact?: { readonly minimum?: string; readonly maximum?: string }
      }
    | { readonly kind: 'boolean' }
    | {
        readonly kind: 'enum'
        readonly values: readonly (string | number | boolean)[]
        readonly unspecified?: string
        /** The decimal texts of the values, if they are integers of the format `int64`. */
        readonly exact?: readonly string[]
      }
    | {
        readonly kind: 'array'
        readonly items: Schema
        readonly minItems?: number
        readonly maxItems?: number
        readonly uniqueItems?: true
        /** True if the document, of OpenAPI 3.1, has no schema for further items, so that `items` accepts every value. */
        readonly isOpen?: true
        /** The schemas of the first items, by index; `items` is the schema of the further items. */
        readonly prefix?: readonly Schema[]
        /** At least `min` and at most `max` items must fit the schema `of`. */
        readonly contains?: { readonly of: Schema; readonly min: number; readonly max?: number }
      }
    | {
        readonly kind: 'object'
        readonly properties: readonly Property[]
        /**
         * The rule for undeclared members: `false` refuses them; `open` (no `additionalProperties`) and `any`
         * (declared) accept any value; a schema checks the values.
         */
        readonly additional: false | 'open' | 'any' | Schema
        /** The `x-key-pattern` of a map. */
        readonly keyPattern?: string
        readonly minProperties?: number
        readonly maxProperties?: number
        /** The schemas of the members whose names match a pattern, declared members included. */
        readonly patterns?: readonly (readonly [pattern: string, schema: Schema])[]
        /** The schema of the names of all members. */
        readonly names?: Schema
        /** The demands of members: if the member `name` is present, the members `required` must be too. */
        readonly dependents?: readonly { readonly name: string; readonly required: readonly string[] }[]
      }
    | { readonly kind: 'ref'; readonly target: string }
    | {
        readonly kind: 'union'
        readonly of: readonly Schema[]
        /** True for `oneOf`: exactly one alternative must fit. False for `anyOf`: at least one alternative must fit. */
        readonly exactlyOne: boolean
        readonly discriminator?: {
          readonly property: string
          readonly mapping: readonly (readonly [value: string, target: string])[]
        }
      }
    | { readonly kind: 'intersection'; readonly of: readonly Schema[] }
    /** A list or an object that equals the value, whatever the order of members. */
    | { readonly kind: 'constant'; readonly value: Json }
    /** A value that does not fit the schema `of`. */
    | { readonly kind: 'not'; readonly of: Schema }
    /** A value that fits `then` if it fits `if`, and `else` otherwise; an absent schema accepts every value. */
    | { readonly kind: 'conditional'; readonly if: Schema; readonly then?: Schema; readonly else?: Schema }
    /** A value that fits `of` if it is an object with the member `name`. */
    | { readonly kind: 'dependent'; readonly name: string; readonly of: Schema }
    /**
     * A value whose members, or items, fit `rest` unless the schemas `beside`, which stand in the same intersection,
     * evaluate them.
     */
    | {
        readonly kind: 'unevaluated'
        readonly parts: 'members' | 'items'
        readonly beside: readonly Schema[]
        readonly rest: Schema
      }
    /** A body of bytes, or a file in a form. Lengths are in bytes. */
    | { readonly kind: 'binary'; readonly minLength?: number; readonly maxLength?: number }
    | { readonly kind: 'any' }
    | { readonly kind: 'never' }
  )

/** Whether a schema only narrows a value, and says nothing of its type in TypeScript. */
export const isConstraint = ({ kind }: Schema): boolean =>
  kind === 'not' || kind === 'conditional' || kind === 'dependent' || kind === 'unevaluated'

/**
 * Returns the only branch of an intersection that determines the kind of its values; undefined if there are several or
 * none. Constraints do not count, nor do texts and numbers that only keywords imply, as beside a reference.
 */
export function mainBranch({ of }: Extract<Schema, { kind: 'intersection' }>): Schema | undefined {
  const isMain = (branch: Schema): boolean =>
    !isConstraint(branch) && !(branch.implied && (branch.kind === 'string' || branch.kind === 'number'))
  const [first, ...others] = of.filter(isMain)
  return others.length === 0 ? first : undefined
}

/** Whether a schema is a map: an object that takes undeclared members, because it says so, or declares none. */
export const isMap = (schema: Schema): schema is Extract<Schema, { kind: 'object' }> =>
  schema.kind === 'object' &&
  (typeof schema.additional === 'object' ||
    schema.additional === 'any' ||
    (schema.additional === 'open' && schema.properties.length === 0))

/**
 * Whether the line of a header can carry the values of a schema without JSON: scalars, and lists of scalars. `resolve`
 * follows references to the final schema.
 */
export function isLine(schema: Schema, resolve: (schema: Schema) => Schema): boolean {
  const of = resolve(schema)
  if (of.kind === 'union') return of.of.every(form => isLine(form, resolve))
  const item = of.kind === 'array' ? resolve(of.items) : of
  return item.kind !== 'object' && item.kind !== 'intersection' && item.kind !== 'array'
}

/**
 * Returns an intersection of objects as one object with the members of all; any other schema as it is. Of members with
 * one name, the last counts. `resolve` follows references to the final schema.
 */
export function joinedObject(schema: Schema, resolve: (schema: Schema) => Schema): Schema {
  if (schema.kind !== 'intersection') return schema
  const branches = schema.of
    .filter(branch => !isConstraint(branch))
    .map(branch => joinedObject(resolve(branch), resolve))
  const objects = branches.filter(branch => branch.kind === 'object')
  if (objects.length === 0 || objects.length < branches.length) return schema
  const members = objects.flatMap(({ properties }) => properties.map((each): [string, Property] => [each.name, each]))
  const additional = objects.map(object => object.additional).find(each => each !== 'open') ?? 'open'
  return { kind: 'object', properties: [...new Map(members).values()], additional, position: schema.position }
}

/** Whether no value fits a schema, not even null. */
export const isNever = ({ kind, nullable }: Schema): boolean => kind === 'never' && !nullable

/** A property of an object schema. */
export interface Property {
  /** The name on the wire. */
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /**
   * The direction of the property. `output`: readOnly. `input`: writeOnly. `precondition`: always in responses, and
   * optional in requests, where the server compares the value.
   */
  readonly access: 'both' | 'output' | 'input' | 'precondition'
  readonly immutable: boolean
  /** True if the value is the etag of content that the response describes, and not of the response itself. */
  readonly ofContent?: true
  /**
   * True if the `update_mask` next to this object selects the members to update. In a request, the object has the
   * update view.
   */
  readonly masked?: true
}

/** The serialization of a parameter (OpenAPI 3.0.3, Parameter Object). `json` is a parameter with `content`. */
export type ParameterStyle =
  'form' | 'simple' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'label' | 'matrix' | 'json'

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  /** The member name in the request type. The member name differs from `name` only if `name` is reserved or taken. */
  readonly member: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly style: ParameterStyle
  readonly explode: boolean
  /** True if reserved characters are sent without encoding, in queries only. */
  readonly allowReserved?: true
  /** True if an empty text is a value of any type, in queries only. */
  readonly allowEmptyValue?: true
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly schema: Schema
  /** The example in the document; the example may not fit the schema. */
  readonly example?: unknown
  readonly position: Position
}

/**
 * The form of a body. `form` and `multipart` are objects sent member by member; `lines` and `events` are streams of
 * items.
 */
export type BodyKind = 'json' | 'text' | 'bytes' | 'form' | 'multipart' | 'lines' | 'events'

/** A body of one media type. */
export interface Content {
  /** The media type, or a range such as `image/*`. */
  readonly type: string
  /** Further JSON types with the same schema, which requests may use too. */
  readonly aliases?: readonly string[]
  readonly kind: BodyKind
  /** The schema of the body; for streams, the schema of an item. */
  readonly schema: Schema
  /** The declared encodings of the members of a form. */
  readonly encoding?: readonly Encoding[]
  /** The example in the document; the example may not fit the schema. */
  readonly example?: unknown
}

/** The encoding of a member of a form. */
export interface Encoding {
  readonly name: string
  readonly style?: Exclude<ParameterStyle, 'simple' | 'label' | 'matrix' | 'json'>
  readonly explode?: boolean
  readonly allowReserved?: true
  /** Media types and ranges, joined with commas. */
  readonly contentType?: string
  readonly position: Position
}

/** The request body of an operation. */
export interface RequestBody {
  readonly required: boolean
  readonly description: string | undefined
  /** The JSON content; the first content if no content is JSON. */
  readonly content: Content
  /** All contents in the order of the document, with ranges last. */
  readonly contents: readonly Content[]
  /** Whether a request names its media type, because the operation accepts several types or a range. */
  readonly isTagged: boolean
  /** Whether the operation is a PATCH: an absent member of the body means no change, so that no default replaces it. */
  readonly isPatch: boolean
  /** `update` if the operation has the query parameter `update_mask` and `isTagged` is false. */
  readonly view: 'input' | 'update'
}

/** A declared response of an operation. */
export interface Response {
  readonly status: number | 'default' | `${1 | 2 | 3 | 4 | 5}XX`
  readonly description: string
  /** The JSON content; the first content if no content is JSON. */
  readonly content: Content | undefined
  /** All contents in the order of the document, with ranges last; empty without content. */
  readonly contents: readonly Content[]
  /** Whether an answer names its media type, because the document declares several types or a range. */
  readonly isTagged: boolean
  readonly headers: readonly {
    readonly name: string
    readonly required: boolean
    readonly schema: Schema
    /** Whether the document declares the header as JSON. */
    readonly isJson: boolean
    readonly description: string | undefined
  }[]
}

/** The `x-access` of an operation (conventions §22). */
export interface OperationAccess {
  readonly kind: 'permission' | 'public' | 'own' | 'authenticated'
  readonly key?: string
  readonly class?: string
  readonly scope?: string
  readonly scopeTypes?: readonly string[]
  readonly own?: true
  readonly bearerOptional?: true
}

/** A field of `x-filter` (conventions §8). */
export interface FilterField {
  readonly name: string
  /** The dotted path in a row, if it differs from the name. */
  readonly path?: string
  readonly type: string
  /** The type of the values of a MAP, such as `INTEGER`; absent for text. */
  readonly values?: string
  readonly list: boolean
  readonly operators: readonly string[]
  readonly sortable: boolean
  readonly enumValues?: readonly string[]
}

/**
 * The `x-filter` of a list operation with the shape of its response. `member` names the member with the rows, and the
 * parameters follow conventions §8.
 */
export interface ListTrait {
  readonly member: string
  /** The schema of a row. */
  readonly item: Schema
  readonly resource: string | undefined
  readonly fields: readonly FilterField[]
  readonly defaultOrder: string
  readonly key: string
}

/** An operation of a document. */
export interface Operation {
  /** The operationId of the document, or a name made from method and path. */
  readonly id: string
  /** The method name in handlers and client, such as `listQuotas`. */
  readonly name: string
  /**
   * The name of the route constant: `name`, or a longer name such as `deleteOperation` if `name` is reserved or taken.
   */
  readonly routeName: string
  /** The type name of the request, such as `ListQuotasRequest`. */
  readonly requestName: string
  /** The type name of the request with filled defaults, such as `ParsedListQuotasRequest`. */
  readonly parsedRequestName: string
  readonly method: string
  /** The path template of the document. */
  readonly path: string
  /** The literal texts, encoded for a URL, and the parameter names of the path, alternating, a literal text first. */
  readonly pathParts: readonly string[]
  /** The server of the operation or of its path item; undefined if the operation has the servers of the document. */
  readonly server: Server | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  readonly successes: readonly Response[]
  readonly failures: readonly Response[]
  /**
   * The result of a handler. `value`: one success with a body. `empty`: one success without a body. `page`: one success
   * of a list with `x-filter`. `replies`: several successes, declared headers, or a success that is no single status.
   */
  readonly answer: 'value' | 'empty' | 'page' | 'replies'
  readonly access: OperationAccess | undefined
  /** The query parameters in which callers may send an API key, by the `security` of the document. */
  readonly queryKeys: readonly string[]
  readonly raises: readonly string[] | undefined
  readonly mode: 'sync' | 'async' | 'data' | undefined
  readonly list: ListTrait | undefined
  /** Whether clients can wait for the result of the operation with this document's `getOperation`. */
  readonly returnsOperation: boolean
  readonly position: Position
}

/** The operations with the same first tag, which form one handler interface. */
export interface Group {
  /** The member of `<Area>Handlers`, such as `quotaOverrides`. */
  readonly name: string
  /** The name of the interface, such as `QuotaOverrideHandlers`. */
  readonly interfaceName: string
  readonly operations: readonly Operation[]
}

/** A reason of `x-errors`. */
export interface ErrorReason {
  readonly reason: string
  readonly code: number
  /** The RPC code; undefined if the reason appears only in operation records or resource fields. */
  readonly rpc: string | undefined
  readonly description: string
  readonly metadata: readonly { readonly name: string; readonly description: string }[]
}

/** A permission key of a document. */
export interface Permission {
  readonly key: string
  readonly class: string
  readonly scopeTypes: readonly string[]
  /**
   * The name for people: the first clause of the description if `x-permissions` declares the key, else the summary of
   * the first operation that requires the permission.
   */
  readonly displayName: string | undefined
  /** The description in `x-permissions`. */
  readonly description: string | undefined
  /** `ALPHA` if only paths of an alpha version require the permission. */
  readonly stage: 'GA' | 'ALPHA'
  /** The ids of the operations that require the permission. */
  readonly operations: readonly string[]
}
