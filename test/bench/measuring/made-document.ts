import { stringify } from 'yaml'

/** The number of operations of a resource of a made document. */
const perResource = 5

/**
 * Returns an OpenAPI document, as YAML, with `operations` operations (a multiple of 5) of similar resources. A document of
 * 3.1 has schemas with keywords of 3.1.
 */
export function madeDocument(operations: number, openapi: '3.0.3' | '3.1.0' = '3.0.3'): string {
  const indexes = Array.from({ length: operations / perResource }, (_, index) => index)
  return stringify(
    {
      openapi,
      info: { title: `A made document of ${operations} operations`, version: '1' },
      paths: Object.assign({}, ...indexes.map(pathsOf)),
      components: {
        schemas: Object.assign({ Problem: problem }, ...indexes.map(index => schemasOf(index, openapi === '3.1.0'))),
      },
    },
    // The YAML has no aliases, like documents that people write.
    { aliasDuplicateObjects: false },
  )
}

const text = (maxLength: number, more: object = {}) => ({ type: 'string', maxLength, ...more })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (name: string) => ({ content: { 'application/json': { schema: reference(name) } } })
const answer = (description: string, name: string) => ({ description, ...content(name) })

const problem = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer' }, message: text(1000) },
}

function pathsOf(index: number): object {
  const name = `Thing${index}`
  const id = { name: 'id', in: 'path', required: true, schema: text(36) }
  const failure = answer('What went wrong.', 'Problem')
  const operation = (verb: string, description: string, rest: object) => ({
    operationId: `${verb}${name}`,
    tags: [`things${index}`],
    description,
    ...rest,
  })
  const one = { '200': answer('The thing.', name), default: failure }
  const sent = { required: true, ...content(name) }
  return {
    [`/things${index}`]: {
      get: operation('list', 'Lists things, a page at a time.', {
        parameters: [
          { name: 'page_size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
          { name: 'page_token', in: 'query', schema: text(500) },
        ],
        responses: { '200': answer('A page.', `${name}Page`), default: failure },
      }),
      post: operation('create', 'Makes a thing.', { requestBody: sent, responses: one }),
    },
    [`/things${index}/{id}`]: {
      get: operation('get', 'Answers a thing.', { parameters: [id], responses: one }),
      put: operation('replace', 'Replaces a thing.', { parameters: [id], requestBody: sent, responses: one }),
      delete: operation('delete', 'Deletes a thing.', {
        parameters: [id],
        responses: { '204': { description: 'It is gone.' }, default: failure },
      }),
    },
  }
}

/** Members with keywords of OpenAPI 3.1. */
const newer = {
  note: { type: ['string', 'null'], maxLength: 100 },
  price: { type: 'number', exclusiveMinimum: 0 },
  kind: { const: 'thing' },
  place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
  tags: { type: 'array', items: { type: 'string' }, contains: { const: 'main' } },
  extra: { type: 'object', patternProperties: { '^x-': { type: 'string' } }, unevaluatedProperties: false },
}

function schemasOf(index: number, isNewer: boolean): object {
  const name = `Thing${index}`
  return {
    [name]: {
      type: 'object',
      description: 'Something that is made, changed and deleted.',
      required: ['name', 'size'],
      properties: {
        id: text(36, { readOnly: true, description: 'Given by the server.' }),
        name: text(63, { minLength: 1, pattern: '^[a-z][a-z0-9-]*$', description: 'Unique among things.' }),
        display_name: text(128, { default: '' }),
        size: { type: 'integer', minimum: 1, maximum: 4096 + index },
        ratio: { type: 'number', minimum: 0 },
        enabled: { type: 'boolean', default: true },
        state: { ...reference(`${name}State`), readOnly: true },
        labels: { type: 'object', additionalProperties: text(63) },
        parts: { type: 'array', maxItems: 100, items: reference(`${name}Part`) },
        ...(isNewer && newer),
        insert_time: { type: 'string', format: 'date-time', readOnly: true },
      },
    },
    [`${name}State`]: { type: 'string', enum: ['CREATING', 'READY', 'DELETING'] },
    [`${name}Part`]: {
      type: 'object',
      required: ['kind'],
      properties: { kind: text(20), weight: { type: 'integer', format: 'int64' } },
    },
    [`${name}Page`]: {
      type: 'object',
      required: [`things${index}`],
      properties: {
        [`things${index}`]: { type: 'array', items: reference(name) },
        next_page_token: text(500),
      },
    },
  }
}
