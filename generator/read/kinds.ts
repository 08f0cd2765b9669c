import type { Dialect } from './types.ts'

/**
 * The required shape of a member. The elements of `texts` must be texts; a value of the shape `any` is not inspected.
 */
export type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | 'count'
  | 'texts'
  | 'textOrTexts'
  | 'list'
  | 'any'
  | { readonly one: Kind }
  | { readonly flagOr: Kind }
  | { readonly map: Kind }
  | { readonly list: Kind }

/** The rules for a member of an object. */
export interface Member {
  readonly shape: Shape
  readonly required?: true
  /**
   * True if no generated code honours this member. Each use of the member with a value other than `false` is reported.
   */
  readonly lost?: true
}

/** The kinds of objects in OpenAPI and in the platform's extensions (conventions §22). */
export type Kind =
  | 'document'
  | 'info'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'mediaType'
  | 'encoding'
  | 'response'
  | 'header'
  | 'schema'
  | 'discriminator'
  | 'access'
  | 'permission'
  | 'errorReason'
  | 'filter'
  | 'filterField'
  | 'resource'

const of = (shape: Shape): Member => ({ shape })
const required = (shape: Shape): Member => ({ shape, required: true })
const lost: Member = { shape: 'any', lost: true }

const described = { summary: of('text'), description: of('text'), externalDocs: of('any') } as const
const examples = { example: of('any'), examples: of('any') } as const

/** The members that parameters and headers share. */
const carried = {
  ...examples,
  description: of('text'),
  required: of('flag'),
  deprecated: of('flag'),
  allowEmptyValue: lost,
  allowReserved: lost,
  style: of('text'),
  explode: of('flag'),
  schema: of({ one: 'schema' }),
  content: of({ map: 'mediaType' }),
} as const

/** The members and their shapes, keyed by kind. */
type Kinds = Readonly<Record<Kind, Readonly<Record<string, Member>>>>

/** The kinds of OpenAPI 3.0.3. */
const kinds = {
  document: {
    openapi: required('text'),
    info: required({ one: 'info' }),
    servers: of('any'),
    paths: required({ map: 'pathItem' }),
    components: of({ one: 'components' }),
    security: of('any'),
    tags: of('list'),
    externalDocs: of('any'),
    'x-permissions': of({ list: 'permission' }),
    'x-errors': of({ map: 'errorReason' }),
  },
  info: {
    title: required('text'),
    version: required('text'),
    description: of('text'),
    termsOfService: of('any'),
    contact: of('any'),
    license: of('any'),
  },
  components: {
    schemas: of({ map: 'schema' }),
    responses: of({ map: 'response' }),
    parameters: of({ map: 'parameter' }),
    examples: of('any'),
    requestBodies: of({ map: 'requestBody' }),
    headers: of({ map: 'header' }),
    securitySchemes: of('any'),
    links: lost,
    callbacks: lost,
  },
  pathItem: {
    ...described,
    servers: of('any'),
    parameters: of({ list: 'parameter' }),
    get: of({ one: 'operation' }),
    put: of({ one: 'operation' }),
    post: of({ one: 'operation' }),
    delete: of({ one: 'operation' }),
    options: of({ one: 'operation' }),
    head: of({ one: 'operation' }),
    patch: of({ one: 'operation' }),
    trace: lost,
  },
  operation: {
    ...described,
    tags: of('texts'),
    operationId: of('text'),
    parameters: of({ list: 'parameter' }),
    requestBody: of({ one: 'requestBody' }),
    responses: required({ map: 'response' }),
    callbacks: lost,
    deprecated: of('flag'),
    security: of('any'),
    servers: of('any'),
    'x-access': of({ one: 'access' }),
    'x-raises': of('texts'),
    'x-filter': of({ one: 'filter' }),
    'x-mode': of('text'),
  },
  parameter: {
    ...carried,
    allowEmptyValue: of('flag'),
    allowReserved: of('flag'),
    name: required('text'),
    in: required('text'),
  },
  requestBody: { description: of('text'), content: required({ map: 'mediaType' }), required: of('flag') },
  mediaType: { ...examples, schema: of({ one: 'schema' }), encoding: of({ map: 'encoding' }) },
  encoding: {
    contentType: of('text'),
    headers: lost,
    style: of('text'),
    explode: of('flag'),
    allowReserved: of('flag'),
  },
  response: {
    description: required('text'),
    headers: of({ map: 'header' }),
    content: of({ map: 'mediaType' }),
    links: lost,
  },
  header: carried,
  schema: {
    title: of('text'),
    type: of('text'),
    format: of('text'),
    description: of('text'),
    multipleOf: of('number'),
    maximum: of('number'),
    exclusiveMaximum: of('flag'),
    minimum: of('number'),
    exclusiveMinimum: of('flag'),
    maxLength: of('count'),
    minLength: of('count'),
    pattern: of('text'),
    maxItems: of('count'),
    minItems: of('count'),
    uniqueItems: of('flag'),
    maxProperties: of('count'),
    minProperties: of('count'),
    required: of('texts'),
    enum: of('list'),
    allOf: of({ list: 'schema' }),
    oneOf: of({ list: 'schema' }),
    anyOf: of({ list: 'schema' }),
    not: of({ one: 'schema' }),
    items: of({ one: 'schema' }),
    properties: of({ map: 'schema' }),
    additionalProperties: of({ flagOr: 'schema' }),
    default: of('any'),
    nullable: of('flag'),
    discriminator: of({ one: 'discriminator' }),
    readOnly: of('flag'),
    writeOnly: of('flag'),
    xml: lost,
    externalDocs: of('any'),
    example: of('any'),
    deprecated: of('flag'),
    'x-nullable': lost,
    'x-immutable': of('flag'),
    'x-precondition': of('flag'),
    'x-content-etag': of('flag'),
    'x-key-pattern': of('text'),
    'x-resource': of({ one: 'resource' }),
    'x-unspecified': of('text'),
  },
  discriminator: { propertyName: required('text'), mapping: of('any') },
  access: {
    kind: required('text'),
    key: of('text'),
    class: of('text'),
    scope: of('text'),
    scope_types: of('texts'),
    own: of('flag'),
    bearer_optional: of('flag'),
  },
  permission: {
    key: required('text'),
    class: required('text'),
    scope_types: required('texts'),
    description: of('text'),
  },
  errorReason: { code: required('count'), rpc: of('text'), description: required('text'), metadata: of('any') },
  filter: { schema: of('text'), fields: required({ list: 'filterField' }), default_order_by: required('text') },
  filterField: {
    name: required('text'),
    path: of('text'),
    type: required('text'),
    operators: of('texts'),
    sortable: of('flag'),
    enum: of('text'),
  },
  resource: { type: required('text'), plural: required('text') },
} satisfies Kinds

const { nullable: _nullable, ...schema } = kinds.schema

/** The kinds of OpenAPI 3.1.1, whose schemas are those of JSON Schema 2020-12. */
const newerKinds: Kinds = {
  ...kinds,
  document: {
    ...kinds.document,
    paths: of({ map: 'pathItem' }),
    jsonSchemaDialect: of('text'),
    webhooks: lost,
  },
  info: { ...kinds.info, summary: of('text') },
  components: { ...kinds.components, pathItems: of({ map: 'pathItem' }) },
  operation: { ...kinds.operation, responses: of({ map: 'response' }) },
  schema: {
    ...schema,
    type: of('textOrTexts'),
    const: of('any'),
    exclusiveMinimum: of('number'),
    exclusiveMaximum: of('number'),
    examples: of('any'),
    contentEncoding: of('text'),
    contentMediaType: of('text'),
    contentSchema: lost,
    prefixItems: of({ list: 'schema' }),
    contains: of({ one: 'schema' }),
    minContains: of('count'),
    maxContains: of('count'),
    unevaluatedItems: of({ one: 'schema' }),
    patternProperties: of({ map: 'schema' }),
    propertyNames: of({ one: 'schema' }),
    dependentRequired: of('any'),
    dependentSchemas: of({ map: 'schema' }),
    unevaluatedProperties: of({ one: 'schema' }),
    if: of({ one: 'schema' }),
    then: of({ one: 'schema' }),
    else: of({ one: 'schema' }),
    $defs: of({ map: 'schema' }),
    $anchor: of('text'),
    $comment: of('text'),
    $schema: of('text'),
    $id: lost,
    $dynamicRef: lost,
    $dynamicAnchor: lost,
    $vocabulary: lost,
  },
}

const byDialect: Readonly<Record<Dialect, Kinds>> = { '3.0': kinds, '3.1': newerKinds }

/**
 * Returns the members of a kind and their shapes, keyed by name. A member of the shape `any` is only documentation, or
 * other code checks its value.
 */
export const membersOf = (kind: Kind, dialect: Dialect): Readonly<Record<string, Member>> => byDialect[dialect][kind]

/** The names of the required members, keyed by dialect and kind. */
const requiredMembers: Readonly<Record<Dialect, ReadonlyMap<Kind, readonly string[]>>> = {
  '3.0': requiredIn(kinds),
  '3.1': requiredIn(newerKinds),
}

function requiredIn(all: Kinds): ReadonlyMap<Kind, readonly string[]> {
  const names = Object.keys(all).filter((name): name is Kind => Object.hasOwn(all, name))
  return new Map(names.map(kind => [kind, Object.keys(all[kind]).filter(name => all[kind][name]?.required)]))
}

/** Returns the names of the required members of a kind. */
export const requiredOf = (kind: Kind, dialect: Dialect): readonly string[] => requiredMembers[dialect].get(kind) ?? []

/** The kinds that a `$ref` may replace. OpenAPI 3.0 does not name operations, but documents of many files do. */
export const referable: ReadonlySet<Kind> = new Set([
  'pathItem',
  'operation',
  'parameter',
  'requestBody',
  'response',
  'header',
  'schema',
])

/**
 * The members that may stand next to the `$ref` of a schema without a warning, although OpenAPI 3.0 gives the members
 * no meaning there.
 */
export const besideReference: ReadonlySet<string> = new Set([
  '$ref',
  'description',
  'summary',
  'title',
  'nullable',
  'deprecated',
  'default',
  'readOnly',
  'writeOnly',
  'example',
  'x-immutable',
  'x-precondition',
  'x-content-etag',
])
