/**
 * The intermediate representation: all that the emitters know of a document. Built once by `build`, read only,
 * without a trace of OpenAPI's own shapes. Order is the document's order everywhere.
 */

/** Where something stands in a source file; lines and columns count from 1. */
export interface Position {
  /** As a person would type it: relative to the working directory, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** The documents of one run, or those of them that are generated. */
export interface Model {
  readonly documents: readonly Document[]
  /**
   * Whether a document decides more of another than `Outline` says: what is in it depends on all of them together then.
   */
  readonly isInterwoven: boolean
}

/** What the rest of a run must know of a document that is not built again. Plain data. */
export interface Outline {
  readonly name: string
  readonly title: string
  /** How many it has. */
  readonly operations: number
  /** The keys, sorted. */
  readonly permissions: readonly string[]
  /** `x-errors`. */
  readonly reasons: readonly (readonly [reason: string, code: number])[]
  /** The reasons of `x-raises` that other documents declare. */
  readonly raises: readonly string[]
  readonly reaches: Reaches
}

/** The ids of the schemas of other documents that one reaches, sorted. */
export interface Reaches {
  readonly input: readonly string[]
  readonly update: readonly string[]
  readonly answered: readonly string[]
  /** As multipart forms, or files in them. */
  readonly forms: readonly string[]
}

/** One entry document and the folder its output goes to. */
export interface Document {
  /** Folder and prefix of names, `taxonomy`; camel case of the file's stem unless the caller says otherwise. */
  readonly name: string
  /** The entry file, relative to the working directory. */
  readonly source: string
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** ErrorInfo.domain and the base of the common codes, where the document declares errors. */
  readonly domain: { readonly name: string; readonly base: number | undefined }
  readonly schemas: readonly NamedSchema[]
  readonly operations: readonly Operation[]
  /** Operations by resource, each in exactly one group. */
  readonly groups: readonly Group[]
  /** `x-errors`. */
  readonly errors: readonly ErrorReason[]
  /** The keys of `x-access` and `x-permissions`, sorted by key, each once. */
  readonly permissions: readonly Permission[]
}

/** Which members and values a schema has depends on the way it travels (architecture §3, views). */
export type View = 'output' | 'input' | 'update'

export interface NamedSchema {
  /** Unique in the run; what references hold. `<document>.<name>`. */
  readonly id: string
  /** The TypeScript name of its output view, `Organisation`. */
  readonly name: string
  readonly document: string
  readonly schema: Schema
  /**
   * The type names of its views. A view that does not differ has the name of the view it equals. Names are the same
   * whichever views are generated.
   */
  readonly views: Readonly<Record<View, string>>
  /** Whether its output view is generated; what is only sent needs none where what is sent has a name of its own. */
  readonly isAnswered: boolean
  /** Whether requests reach it. */
  readonly isSent: boolean
  /** Members that `complete` fills, when something in the input view has a default (own or nested). */
  readonly hasDefaults: boolean
  /** Contains itself, directly or through others. */
  readonly isRecursive: boolean
  readonly resource: { readonly type: string; readonly plural: string } | undefined
  readonly position: Position
}

/** What every schema has, whatever its kind. */
export interface SchemaBase {
  readonly description?: string
  readonly nullable?: true
  readonly deprecated?: true
  readonly default?: Json
  /** The document does not write the type: values of other kinds pass unchecked. */
  readonly implied?: true
  /** As the document gives it, which may not fit. */
  readonly example?: unknown
  readonly position: Position
}

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
      }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'enum'; readonly values: readonly (string | number | boolean)[]; readonly unspecified?: string }
    | {
        readonly kind: 'array'
        readonly items: Schema
        readonly minItems?: number
        readonly maxItems?: number
        readonly uniqueItems?: true
      }
    | {
        readonly kind: 'object'
        readonly properties: readonly Property[]
        /** Members that are not listed: refused; anything, by silence (`open`) or by word (`any`); of a schema. */
        readonly additional: false | 'open' | 'any' | Schema
        /** `x-key-pattern` of a map. */
        readonly keyPattern?: string
        readonly minProperties?: number
        readonly maxProperties?: number
      }
    | { readonly kind: 'ref'; readonly target: string }
    | {
        readonly kind: 'union'
        readonly of: readonly Schema[]
        /** `oneOf`: exactly one fits; `anyOf`: at least one. */
        readonly exactlyOne: boolean
        readonly discriminator?: {
          readonly property: string
          readonly mapping: readonly (readonly [value: string, target: string])[]
        }
      }
    | { readonly kind: 'intersection'; readonly of: readonly Schema[] }
    /** A body of bytes, or a file in a form; lengths are in bytes. */
    | { readonly kind: 'binary'; readonly minLength?: number; readonly maxLength?: number }
    | { readonly kind: 'any' }
    | { readonly kind: 'never' }
  )

export interface Property {
  /** As on the wire. */
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** `output`: readOnly; `input`: writeOnly; `precondition`: always answered, and may be sent back to be compared. */
  readonly access: 'both' | 'output' | 'input' | 'precondition'
  readonly immutable: boolean
  /** The `update_mask` beside it says what of it is taken: sent, it travels in the view of an update. */
  readonly masked?: true
}

export type ParameterStyle = 'form' | 'simple' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json'

export interface Parameter {
  readonly name: string
  /** The member of the request; differs from `name` only where that is taken. */
  readonly member: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly schema: Schema
  /** As the document gives it, which may not fit. */
  readonly example?: unknown
  readonly position: Position
}

/** `form` and `multipart` are objects that travel member by member; `lines` and `events` are streams of items. */
export type BodyKind = 'json' | 'text' | 'bytes' | 'form' | 'multipart' | 'lines' | 'events'

export interface Content {
  /** May be a range, `image/*`. */
  readonly type: string
  /** Further JSON types of the same schema, which requests may have too. */
  readonly aliases?: readonly string[]
  readonly kind: BodyKind
  /** Of streams: what an item is. */
  readonly schema: Schema
  /** Of forms: how members travel, where the document says so. */
  readonly encoding?: readonly Encoding[]
  /** As the document gives it, which may not fit. */
  readonly example?: unknown
}

/** How a member of a form travels. */
export interface Encoding {
  readonly name: string
  readonly style?: Exclude<ParameterStyle, 'simple' | 'json'>
  readonly explode?: boolean
  /** Types and ranges, joined with commas. */
  readonly contentType?: string
  readonly position: Position
}

export interface RequestBody {
  readonly required: boolean
  readonly description: string | undefined
  /** JSON where there is some, else the first. */
  readonly content: Content
  /** All in the order of the document, ranges last. */
  readonly contents: readonly Content[]
  /** A caller says which of several media types, or which of a range, it sends. */
  readonly isTagged: boolean
  /** `update` where the operation has the parameter `update_mask`. */
  readonly view: 'input' | 'update'
}

export interface Response {
  readonly status: number | 'default' | `${1 | 2 | 3 | 4 | 5}XX`
  readonly description: string
  readonly content: Content | undefined
  readonly headers: readonly {
    readonly name: string
    readonly required: boolean
    readonly schema: Schema
    readonly description: string | undefined
  }[]
}

export interface Access {
  readonly kind: 'permission' | 'public' | 'own' | 'authenticated'
  readonly key?: string
  readonly class?: string
  readonly scope?: string
  readonly scopeTypes?: readonly string[]
  readonly own?: true
  readonly bearerOptional?: true
}

export interface FilterField {
  readonly name: string
  /** The dotted path into a row, where it is not the name. */
  readonly path?: string
  readonly type: string
  /** Of a MAP whose values are no text: their type, `INTEGER`. */
  readonly values?: string
  readonly list: boolean
  readonly operators: readonly string[]
  readonly sortable: boolean
  readonly enumValues?: readonly string[]
}

/** `x-filter` of a list operation, and what its shape says: rows under `member`, parameters of conventions §8. */
export interface ListTrait {
  readonly member: string
  /** The schema of a row. */
  readonly item: Schema
  readonly resource: string | undefined
  readonly fields: readonly FilterField[]
  readonly defaultOrder: string
  readonly key: string
}

export interface Operation {
  /** As in the document, or made from method and path. */
  readonly id: string
  /** Of the methods of handlers and client: `listQuotas`. */
  readonly name: string
  /** Of the route constant: `name`, but `deleteOperation` where that is a reserved word or taken. */
  readonly routeName: string
  /** `ListQuotasRequest`. */
  readonly requestName: string
  readonly method: string
  /** The template as in the document. */
  readonly path: string
  /** Literal text and parameter names in turn, literal first. */
  readonly pathParts: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  readonly successes: readonly Response[]
  readonly failures: readonly Response[]
  /**
   * How handlers answer: `value`, one success with a body; `empty`, one without; `page`, a list of `x-filter`;
   * `replies`, several successes or declared headers.
   */
  readonly answer: 'value' | 'empty' | 'page' | 'replies'
  readonly access: Access | undefined
  readonly raises: readonly string[] | undefined
  readonly mode: 'sync' | 'async' | 'data' | undefined
  readonly list: ListTrait | undefined
  /** The operation whose answers can be waited on with this document's `getOperation`. */
  readonly returnsOperation: boolean
  readonly position: Position
}

/** The operations of one resource: one handler interface. */
export interface Group {
  /** The member of `<Area>Handlers`, `quotaOverrides`. */
  readonly name: string
  /** `QuotaOverrideHandlers`. */
  readonly interfaceName: string
  readonly operations: readonly Operation[]
}

export interface ErrorReason {
  readonly reason: string
  readonly code: number
  /** Absent: only in operations or resource fields. */
  readonly rpc: string | undefined
  readonly description: string
  readonly metadata: readonly { readonly name: string; readonly description: string }[]
}

export interface Permission {
  readonly key: string
  readonly class: string
  readonly scopeTypes: readonly string[]
  /** For people: the first clause of what `x-permissions` says, else the summary of the first operation that carries it. */
  readonly displayName: string | undefined
  /** What `x-permissions` says. */
  readonly description: string | undefined
  /** ALPHA when only paths of a version `alpha` carry it. */
  readonly stage: 'GA' | 'ALPHA'
  /** The operations that carry it. */
  readonly operations: readonly string[]
}
