const text = { type: 'string', pattern: '^a' }
const objectOf = (...names: readonly string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { type: 'object', properties: { a: text } }])),
})
const answer = { '204': { description: 'Done.' } }
const operation = (operationId: string, more: object = {}): object => ({ operationId, responses: answer, ...more })
const paths = (...operations: readonly object[]): object =>
  Object.fromEntries(operations.map((get, i) => [`/path${i}`, { get }]))
const list = {
  'x-filter': { fields: [{ name: 'name', type: 'STRING', sortable: true }], default_order_by: 'name' },
  responses: {
    '200': {
      description: 'Rows.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              next_page_token: { type: 'string' },
              rows: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
            },
          },
        },
      },
    },
  },
}

const sending = (schema: string): object => ({
  requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
})

const answering = (schema: object): object => ({
  responses: { '200': { description: 'Found.', content: { 'application/json': { schema } } } },
})

/** The types of the language that a program need not import, and that are no values. */
const libraryTypes = `ArrayLike AsyncIterable AsyncIterableIterator AsyncIterator Awaited BodyInit Capitalize
  ConstructorParameters Exclude Extract HeadersInit InstanceType Iterable IterableIterator IteratorResult Lowercase
  NoInfer NonNullable Omit Parameters Partial Pick PromiseLike PropertyKey Readonly ReadonlyArray ReadonlyMap
  ReadonlySet Record Required RequestInit ReturnType TemplateStringsArray ThisType Uppercase`.split(/\s+/)

const globals = [...Object.getOwnPropertyNames(globalThis), ...libraryTypes].filter(name => /^\w+$/.test(name))

const cased = ['user', 'User', 'USER', 'uSer', 'a-b', 'a_b', 'aB', 'A-B', 'a.b', 'AB', 'error', 'Error', 'ERROR']

/** Answers that use a schema, bytes, text and streams, whose types are globals. */
const usedAs = (schema: string): object => {
  const of = { schema: { $ref: `#/components/schemas/${schema}` } }
  const content = { 'application/json': of, 'application/x-ndjson': of, 'image/*': {}, 'text/plain': {} }
  return { responses: { '200': { description: 'ok', content }, default: { description: 'no', content } } }
}

/**
 * Documents whose names would clash if the generator made each name without regard to the others; the key describes the
 * clash. `schemas` are components, `shared` the components of the second document, shared.json; the other members are
 * part of the document.
 */
export const collidingDocuments: Readonly<Record<string, object>> = {
  'a schema is called like a member of another': {
    schemas: { Pick: objectOf('box', 'Box', 'b-ox'), PickBox: objectOf('a'), pickBox: objectOf('a') },
  },
  'members differ in characters that names cannot hold': {
    schemas: {
      Thing: {
        type: 'object',
        properties: {
          'a-b': text,
          a_b: { ...text, pattern: '^b' },
          'a.b': { ...text, pattern: '^c' },
          aB: { ...text, pattern: '^d' },
        },
      },
    },
  },
  'schemas are called like constants of the checks': {
    schemas: {
      Thing: {
        type: 'object',
        additionalProperties: false,
        properties: { name: text, kind: { type: 'string', enum: ['a'] } },
      },
      thingMembers: { type: 'string' },
      thingNamePattern: { type: 'string' },
      thingKindSet: { type: 'string' },
      Holder: {
        type: 'object',
        properties: {
          a: { $ref: '#/components/schemas/thingMembers' },
          b: { $ref: '#/components/schemas/thingNamePattern' },
          c: { $ref: '#/components/schemas/thingKindSet' },
        },
      },
    },
  },
  'schemas are called like lists of enum values': {
    schemas: {
      Kind: { type: 'string', enum: ['a'] },
      kindValues: { type: 'string', enum: ['b'] },
      KindValues: objectOf('a'),
    },
  },
  'schemas are called like what the runtime exports': {
    schemas: Object.fromEntries(
      [
        'Faults',
        'Answer',
        'Route',
        'Transport',
        'text',
        'list',
        'required',
        'nested',
        'isRecord',
        'send',
        'bind',
        'own',
        'omit',
      ].map(name => [name, objectOf('a')]),
    ),
  },
  'schemas are called like globals': {
    schemas: Object.fromEntries(
      [
        'Set',
        'Map',
        'Object',
        'Promise',
        'Record',
        'Partial',
        'Exclude',
        'Omit',
        'RegExp',
        'Array',
        'Symbol',
        'undefined',
        'Infinity',
      ].map(name => [name, objectOf('a')]),
    ),
  },
  'schemas and operations are called like each global and each type of the language': {
    paths: Object.fromEntries(
      globals.map(name => [`/${name}`, { get: operation(name, { tags: [name], ...usedAs(name) }) }]),
    ),
    schemas: Object.fromEntries(globals.map(name => [name, objectOf('a')])),
  },
  'schemas and operations differ in case only': {
    paths: Object.fromEntries(
      cased.map((name, i) => [`/${i}`, { post: operation(name, { ...sending(name), ...usedAs(name) }) }]),
    ),
    schemas: Object.fromEntries(
      cased.map((name, i) => [
        name,
        {
          type: 'object',
          properties: { [`m${i}`]: { ...text, default: 'a' }, id: { type: 'string', readOnly: true } },
        },
      ]),
    ),
  },
  'schemas are called like requests and views': {
    paths: paths(operation('thing'), operation('thingRequest'), operation('ThingRequest')),
    schemas: {
      Thing: {
        type: 'object',
        properties: { a: { type: 'string', readOnly: true }, b: { type: 'string', default: 'b' } },
      },
      ThingInput: objectOf('a'),
      ParsedThing: objectOf('a'),
      ThingUpdate: objectOf('a'),
      ThingRequest: objectOf('a'),
      Holder: { type: 'object', properties: { a: { $ref: '#/components/schemas/Thing' } } },
    },
  },
  'schemas and operations are called like parsed requests': {
    paths: {
      '/things': { post: operation('addThing', sending('Thing')) },
      '/completed-things': { post: operation('completedAddThing', sending('ParsedThing')) },
    },
    schemas: {
      Thing: { type: 'object', properties: { b: { type: 'string', default: 'b' } } },
      ParsedThing: { type: 'object', properties: { c: { type: 'string', default: 'c' } } },
      completeThingInput: objectOf('a'),
      ParsedAddThingRequest: objectOf('a'),
    },
  },
  'operations are called like checks, routes and the runtime': {
    paths: paths(
      ...[
        'bind',
        'send',
        'checkFoo',
        'foo',
        'checkFooRequest',
        'completeFooRequest',
        'fooRequest',
        'apiRoutes',
        'api',
        'apiDomain',
        'Route',
        'BoundRoute',
        'transport',
        'request',
        'context',
        'handlers',
        'options',
        'runtimeBind',
        'runtimeSend',
      ].map(id =>
        operation(id, { parameters: [{ name: 'a', in: 'query', schema: { type: 'string', default: 'a' } }] }),
      ),
    ),
  },
  'lists are called like each other without their verb': {
    paths: paths(
      operation('listThings', list),
      operation('things', list),
      operation('iterateThings'),
      operation('waitOperation'),
      operation('Things'),
    ),
  },
  'operations differ in case and in characters that names cannot hold': {
    paths: paths(
      operation('get-thing'),
      operation('getThing'),
      operation('get_thing'),
      operation('GetThing'),
      operation('get thing'),
    ),
  },
  'tags meet each other and the document': {
    paths: paths(
      ...['api', 'Api', 'a pi', 'apiHandlers', 'class', 'bind', 'context', '!', '?', ''].map((tag, i) =>
        operation(`operation${'abcdefghij'[i]}`, { tags: [tag] }),
      ),
    ),
  },
  'parameters meet each other and the body': {
    paths: {
      '/a/{id}': {
        post: operation('addThing', {
          parameters: ['path', 'query', 'header', 'cookie'].flatMap(place => [
            { name: 'id', in: place, required: true, schema: { type: 'string' } },
            ...(place === 'path'
              ? []
              : [
                  { name: 'body', in: place, schema: { type: 'string' } },
                  { name: `query_id`, in: place, schema: { type: 'string' } },
                ]),
          ]),
          requestBody: { content: { 'application/json': { schema: objectOf('a') } } },
        }),
      },
    },
  },
  'types are called like values that routes are made of': {
    paths: paths(
      ...['recordsList', 'api', 'apiRoutes', 'ApiHandlers', 'ApiClient', 'apiFilters', 'getLists'].map((name, i) =>
        operation(`get${'abcdefghij'[i]}`, answering({ $ref: `#/components/schemas/${name}` })),
      ),
      operation('listRecords', list),
      operation('bind', list),
      operation('getLists'),
    ),
    schemas: Object.fromEntries(
      ['recordsList', 'api', 'apiRoutes', 'ApiHandlers', 'ApiClient', 'apiFilters', 'getLists'].map(name => [
        name,
        objectOf('a'),
      ]),
    ),
  },
  'types are called like checks of others, and enums like checks': {
    schemas: {
      Vm: { type: 'object', properties: { state: { type: 'object', properties: { a: text } }, other: text } },
      checkVm: { type: 'string', enum: ['a'] },
      completeVm: objectOf('a'),
      vmFields: objectOf('a'),
      checkVmState: objectOf('a'),
      Holder: {
        type: 'object',
        properties: {
          a: { $ref: '#/components/schemas/checkVm' },
          b: { $ref: '#/components/schemas/checkVmState' },
          c: { $ref: '#/components/schemas/vmFields' },
        },
      },
    },
  },
  'a schema of another document is called like what this one checks': {
    shared: { VmState: objectOf('a'), VmStateCode: { type: 'string', enum: ['a'] }, vmStateCodeSet: objectOf('a') },
    schemas: {
      Vm: {
        type: 'object',
        properties: {
          code: { $ref: 'shared.json#/components/schemas/VmStateCode' },
          set: { $ref: 'shared.json#/components/schemas/vmStateCodeSet' },
          state: { type: 'object', properties: { code: { type: 'string', enum: ['b'] } } },
          other: { $ref: 'shared.json#/components/schemas/VmState' },
        },
      },
    },
  },
  'reasons differ in underscores': {
    'x-errors': {
      A_B: { code: 1001001, rpc: 'NOT_FOUND', description: 'x' },
      A__B: { code: 1001002, rpc: 'NOT_FOUND', description: 'x' },
      AB: { code: 1001003, rpc: 'NOT_FOUND', description: 'x' },
      API: { code: 1001004, rpc: 'NOT_FOUND', description: 'x' },
      NEW: { code: 1001005, rpc: 'NOT_FOUND', description: 'x' },
      API_ERROR: { code: 1001006, description: 'x' },
    },
    paths: paths(operation('a')),
  },
  'forty branches without a name': {
    schemas: {
      Thing: { allOf: Array.from({ length: 40 }, (_, i) => objectOf(`a${i}`)) },
      Other: { oneOf: Array.from({ length: 40 }, (_, i) => ({ ...objectOf(`a${i}`), required: [`a${i}`] })) },
    },
  },
}

/**
 * Returns the texts of the documents of a case, keyed by file name: shared.json, and api.json that refers to
 * shared.json.
 */
export function collidingTexts(title: string): Readonly<Record<'shared.json' | 'api.json', string>> {
  const { paths: own, schemas, shared, ...more } = { paths: {}, schemas: {}, shared: {}, ...collidingDocuments[title] }
  const written = (document: object): string =>
    JSON.stringify({ openapi: '3.0.3', info: { title, version: '1' }, paths: {}, ...document })
  return {
    'shared.json': written({ components: { schemas: shared } }),
    'api.json': written({ paths: own, components: { schemas }, ...more }),
  }
}
