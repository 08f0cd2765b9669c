/** The positions in a document that take a text. */
export const positions = [
  'title',
  'version',
  'description',
  'tag',
  'tagDescription',
  'server',
  'operationId',
  'summary',
  'operationDescription',
  'pathPart',
  'pathParameter',
  'queryParameter',
  'headerParameter',
  'cookieParameter',
  'deepObjectMember',
  'parameterDescription',
  'parameterDefault',
  'bodyDescription',
  'mediaType',
  'responseMediaType',
  'responseDescription',
  'responseHeader',
  'schemaName',
  'schemaDescription',
  'propertyName',
  'nestedPropertyName',
  'outputOnlyProperty',
  'propertyDescription',
  'propertyDefault',
  'defaultMember',
  'enumValue',
  'namedEnumValue',
  'unspecified',
  'format',
  'pattern',
  'keyPattern',
  'discriminatorProperty',
  'discriminatorValue',
  'resourceType',
  'errorDescription',
  'metadataName',
  'filterField',
  'filterResource',
  'permissionKey',
  'permissionDescription',
] as const
export type Position = (typeof positions)[number]

/** Texts, keyed by position; a missing position gets a harmless text. */
export type Texts = Readonly<Partial<Record<Position, string>>>

const member = (name: string, value: unknown): object => Object.fromEntries([[name, value]])

/** Returns a document that uses every feature, with a text at every position. */
export function documentOf(texts: Texts): object {
  const at = (position: Position): string => texts[position] ?? plain[position]
  return {
    openapi: '3.0.3',
    info: { title: at('title'), version: at('version'), description: at('description') },
    servers: [{ url: '/', description: at('server') }],
    tags: [{ name: at('tag'), description: at('tagDescription') }],
    'x-errors': {
      THING_GONE: {
        code: 1001001,
        rpc: 'NOT_FOUND',
        description: at('errorDescription'),
        metadata: member(at('metadataName'), at('errorDescription')),
      },
      THING_WARNED: { code: 1001091, description: at('errorDescription') },
    },
    'x-permissions': [
      {
        key: `${at('permissionKey')}.more`,
        class: 'READ',
        scope_types: ['PLATFORM'],
        description: at('permissionDescription'),
      },
    ],
    paths: { ...listPath(at), ...itemPath(at), ...uploadPath(at) },
    components: { schemas: schemasOf(at) },
  }
}

type At = (position: Position) => string

const plain: Readonly<Record<Position, string>> = {
  title: 'Things',
  version: '1',
  description: 'A description.',
  tag: 'things',
  tagDescription: 'A tag.',
  server: 'A server',
  operationId: 'replaceThing',
  summary: 'Replaces a thing.',
  operationDescription: 'More about it.',
  pathPart: 'things',
  pathParameter: 'thing',
  queryParameter: 'query',
  headerParameter: 'X-Header',
  cookieParameter: 'cookie',
  deepObjectMember: 'member',
  parameterDescription: 'A parameter.',
  parameterDefault: 'standard',
  bodyDescription: 'A body.',
  mediaType: 'application/json',
  responseMediaType: 'application/json',
  responseDescription: 'Done.',
  responseHeader: 'X-Count',
  schemaName: 'Named',
  schemaDescription: 'A schema.',
  propertyName: 'property',
  nestedPropertyName: 'nested',
  outputOnlyProperty: 'given',
  propertyDescription: 'A property.',
  propertyDefault: 'usual',
  defaultMember: 'inner',
  enumValue: 'VALUE',
  namedEnumValue: 'NAMED',
  unspecified: 'UNSPECIFIED',
  format: 'date',
  pattern: '^[a-z]+$',
  keyPattern: '^[a-z]+$',
  discriminatorProperty: 'kind',
  discriminatorValue: 'first',
  resourceType: 'made.things',
  errorDescription: 'An error.',
  metadataName: 'state',
  filterField: 'property',
  filterResource: 'things',
  permissionKey: 'made.things',
  permissionDescription: 'A permission.',
}

const listPath = (at: At): object =>
  member('/things', {
    get: {
      operationId: 'listThings',
      tags: [at('tag')],
      summary: at('summary'),
      'x-access': { kind: 'permission', key: `${at('permissionKey')}.list`, class: 'READ', scope: 'platform' },
      'x-raises': ['THING_GONE'],
      'x-filter': {
        schema: at('filterResource'),
        fields: [
          { name: at('filterField'), type: 'STRING', sortable: true },
          { name: 'choice', type: 'ENUM', enum: 'Choice' },
        ],
        default_order_by: at('filterField'),
      },
      responses: {
        '200': {
          description: at('responseDescription'),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingList' } } },
        },
      },
    },
  })

const uploadPath = (at: At): object =>
  member('/uploads', {
    post: {
      operationId: 'upload',
      'x-access': { kind: 'authenticated' },
      tags: [at('tag')],
      requestBody: { content: member(at('mediaType'), { schema: { type: 'string', format: 'binary' } }) },
      responses: { '200': { description: at('responseDescription'), content: member(at('responseMediaType'), {}) } },
    },
  })

function itemPath(at: At): object {
  const schema = { type: 'string', default: at('parameterDefault') }
  const described = { description: at('parameterDescription') }
  return member(`/${at('pathPart')}/{${at('pathParameter')}}`, {
    put: {
      operationId: at('operationId'),
      tags: [at('tag')],
      summary: at('summary'),
      description: at('operationDescription'),
      deprecated: true,
      'x-access': { kind: 'permission', key: `${at('permissionKey')}.update`, class: 'WRITE', scope: 'platform' },
      parameters: [
        { name: at('pathParameter'), in: 'path', required: true, ...described, schema: { type: 'string' } },
        { name: at('queryParameter'), in: 'query', ...described, schema },
        { name: at('headerParameter'), in: 'header', ...described, schema },
        { name: at('cookieParameter'), in: 'cookie', ...described, schema },
        {
          name: 'deep',
          in: 'query',
          style: 'deepObject',
          schema: { type: 'object', properties: member(at('deepObjectMember'), { type: 'string' }) },
        },
      ],
      requestBody: {
        required: true,
        description: at('bodyDescription'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
      },
      responses: {
        '200': {
          description: at('responseDescription'),
          headers: member(at('responseHeader'), { required: true, schema: { type: 'string' } }),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
      },
    },
  })
}

function schemasOf(at: At): object {
  const tagged = (value: object): object => ({
    type: 'object',
    required: [at('discriminatorProperty')],
    properties: { ...member(at('discriminatorProperty'), { type: 'string' }), ...value },
  })
  const text = { type: 'string', default: at('propertyDefault'), description: at('propertyDescription') }
  return {
    ...member(at('schemaName'), { type: 'object', description: at('schemaDescription'), properties: { a: text } }),
    Choice: { type: 'string', enum: [at('unspecified'), at('namedEnumValue')], 'x-unspecified': at('unspecified') },
    First: tagged({ one: { type: 'string' } }),
    Second: tagged({ two: { type: 'string' } }),
    ThingList: {
      type: 'object',
      required: ['things', 'next_page_token'],
      properties: {
        things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        next_page_token: { type: 'string' },
      },
    },
    Thing: {
      type: 'object',
      additionalProperties: false,
      description: at('schemaDescription'),
      'x-resource': { type: at('resourceType'), plural: 'things' },
      properties: {
        ...member(at('propertyName'), text),
        ...member(at('nestedPropertyName'), {
          type: 'object',
          properties: {
            ...member(at('outputOnlyProperty'), { type: 'string', readOnly: true }),
            deeper: { type: 'string', default: at('propertyDefault') },
          },
        }),
        choice: { $ref: '#/components/schemas/Choice' },
        choice2: { type: 'string', enum: [at('enumValue')] },
        formatted: { type: 'string', format: at('format') },
        patterned: { type: 'string', pattern: at('pattern') },
        map: { type: 'object', additionalProperties: { type: 'string' }, 'x-key-pattern': at('keyPattern') },
        standard: {
          type: 'object',
          additionalProperties: true,
          default: member(at('defaultMember'), at('propertyDefault')),
        },
        union: {
          oneOf: [{ $ref: '#/components/schemas/First' }, { $ref: '#/components/schemas/Second' }],
          discriminator: {
            propertyName: at('discriminatorProperty'),
            mapping: {
              ...member(at('discriminatorValue'), '#/components/schemas/First'),
              second: '#/components/schemas/Second',
            },
          },
        },
      },
    },
  }
}
