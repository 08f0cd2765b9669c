import { describe, expect, test } from 'vitest'
import { bare, built, codesOf, document, modelOf, operationNamed, read } from '../reading.ts'

const ok = "responses: {'204': {description: ok}}"
const get = (text: string, path = '/a'): string =>
  `paths:\n  ${path}:\n    get:\n      operationId: x\n${text.replace(/^/gm, '      ')}\n`
const post = (text: string): string => get(text).replace('get:', 'post:')

describe('parameters', () => {
  test('keep their wire name if it is free: path before query before header before cookie', async () => {
    const places = ['cookie', 'header', 'query', 'path'].map(
      place => `  - {name: id, in: ${place}, required: true, schema: {type: string}}`,
    )
    const model = await modelOf(get(`parameters:\n${places.join('\n')}\n${ok}`, '/a/{id}'))
    expect(operationNamed(model, 'x').parameters.map(({ member }) => member)).toEqual([
      'cookie_id',
      'header_id',
      'query_id',
      'id',
    ])
  })

  test.each([
    ['body', 'query_body'],
    ['__proto__', 'query___proto__'],
    ['constructor', 'query_constructor'],
    ['page[number]', 'page[number]'],
  ])('with the name %s are the member %s', async (name, member) => {
    const model = await modelOf(get(`parameters: [{name: '${name}', in: query, schema: {type: string}}]\n${ok}`))
    expect(operationNamed(model, 'x').parameters[0]?.member).toBe(member)
  })

  test.each([
    ['in: query', 'form', true],
    ['in: query, explode: false', 'form', false],
    ['in: query, style: pipeDelimited', 'pipeDelimited', false],
    ['in: query, style: deepObject', 'deepObject', true],
    ['in: header', 'simple', false],
    ['in: cookie', 'form', true],
  ])('%s are of style %s, exploded %s', async (text, style, explode) => {
    const model = await modelOf(get(`parameters: [{name: p, ${text}, schema: {type: string}}]\n${ok}`))
    expect(operationNamed(model, 'x').parameters[0]).toMatchObject({ style, explode })
  })

  test('with content are JSON', async () => {
    const model = await modelOf(
      get(`parameters: [{name: p, in: query, content: {application/json: {schema: {type: integer}}}}]\n${ok}`),
    )
    expect(operationNamed(model, 'x').parameters[0]).toMatchObject({ style: 'json', schema: { kind: 'number' } })
  })

  test('of a path item are joined with the parameters of the operation, which take precedence', async () => {
    const model = await modelOf(
      `paths:\n  /a:\n    parameters:\n      - {name: p, in: query, schema: {type: string}}\n      - {name: X-Q, in: header, schema: {type: string}}\n    get:\n      operationId: x\n      parameters: [{name: x-q, in: header, schema: {type: integer}}]\n      ${ok}\n`,
    )
    expect(operationNamed(model, 'x').parameters.map(({ name, schema }) => [name, schema.kind])).toEqual([
      ['p', 'string'],
      ['x-q', 'number'],
    ])
  })

  test('that OpenAPI ignores are left out', async () => {
    const model = await modelOf(get(`parameters: [{name: ACCEPT, in: header, schema: {type: string}}]\n${ok}`))
    expect(operationNamed(model, 'x').parameters).toEqual([])
  })

  test.each([
    ['{type: array, items: {type: array, items: {type: string}}}'],
    ['{oneOf: [{type: string}, {type: integer}]}'],
    ['{enum: [1, a]}'],
    ['{type: object, properties: {a: {type: object}}}'],
    ['{type: object, additionalProperties: {type: object}}'],
  ])('of %s are reported, because text cannot distinguish them', async schema => {
    const { diagnostics } = built(
      await read({ 'a.yaml': document(get(`parameters: [{name: p, in: query, schema: ${schema}}]\n${ok}`)) }),
    )
    expect(codesOf(diagnostics).map(line => line.split(' ')[1])).toEqual(['parameter-shape'])
  })
})

describe('content', () => {
  test.each([
    ['application/json', '{type: integer}', { kind: 'json', schema: { kind: 'number', integer: true } }],
    ['application/vnd.a+json', '{type: integer}', { kind: 'json', schema: { kind: 'number', integer: true } }],
    ['application/json; charset=utf-8', '{type: integer}', { kind: 'json', schema: { kind: 'number', integer: true } }],
    ['text/plain', '{type: string, minLength: 1}', { kind: 'text', schema: { kind: 'string', minLength: 1 } }],
    ['image/png', '{type: string, format: binary}', { kind: 'bytes', schema: { kind: 'binary' } }],
    ['application/octet-stream', '{}', { kind: 'bytes', schema: { kind: 'binary' } }],
  ])('%s of %s', async (type, schema, expected) => {
    const model = await modelOf(post(`requestBody: {content: {'${type}': {schema: ${schema}}}}\n${ok}`))
    expect(bare(operationNamed(model, 'x').body?.content)).toEqual({ type, ...expected })
  })

  test.each([
    ['{type: object}', 'application/json'],
    ['{type: string, format: binary}', 'application/octet-stream'],
  ])('of any type and %s is taken as %s', async (schema, type) => {
    const model = await modelOf(post(`requestBody: {content: {'*/*': {schema: ${schema}}}}\n${ok}`))
    expect(operationNamed(model, 'x').body?.content.type).toBe(type)
  })

  test.each([
    ['multipart/mixed', 'media-type-opaque', 'bytes'],
    ['application/json-seq', 'media-type-stream', 'text'],
    ['application/xml', 'media-type-not-text', 'text'],
  ])('%s is reported as %s', async (type, code, kind) => {
    const reading = await read({
      'a.yaml': document(post(`requestBody: {content: {${type}: {schema: {type: object}}}}\n${ok}`)),
    })
    const { diagnostics, model } = built(reading)
    expect(codesOf(diagnostics)).toEqual([`7 ${code}`])
    expect(model.documents[0]?.operations[0]?.body?.content.kind).toBe(kind)
  })

  test.each([
    ['multipart/form-data', '{type: string}'],
    ['application/x-www-form-urlencoded', '{type: array, items: {type: string}}'],
  ])('%s of %s is no form', async (type, schema) => {
    const reading = await read({
      'a.yaml': document(post(`requestBody: {content: {${type}: {schema: ${schema}}}}\n${ok}`)),
    })
    const { diagnostics, model } = built(reading)
    expect(codesOf(diagnostics)).toEqual(['7 media-type-opaque'])
    expect(model.documents[0]?.operations[0]?.body?.content.kind).toBe('bytes')
  })

  test.each([
    ['application/json', 'json'],
    ['text/json', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
    ['multipart/form-data', 'multipart'],
    ['application/x-ndjson', 'lines'],
    ['application/jsonl', 'lines'],
    ['text/event-stream', 'events'],
  ])('%s is %s', async (type, kind) => {
    const model = await modelOf(post(`requestBody: {content: {${type}: {schema: {type: object}}}}\n${ok}`))
    expect(operationNamed(model, 'x').body).toMatchObject({ content: { type, kind }, isTagged: false })
  })

  test('of several types is distinguished by them, in the order of the document with ranges last', async () => {
    const model = await modelOf(
      post(`requestBody: {content: {image/*: {}, text/csv: {}, application/json: {}, image/png: {}}}\n${ok}`),
    )
    const { body } = operationNamed(model, 'x')
    expect(body).toMatchObject({ content: { type: 'application/json' }, isTagged: true })
    expect(body?.contents.map(({ type }) => type)).toEqual(['text/csv', 'application/json', 'image/png', 'image/*'])
  })

  test('of JSON types with one schema is one, sent as the first type that is not a range', async () => {
    const types = ['application/*+json', 'application/json', 'text/json']
    const content = types.map(type => `${type}: {schema: {type: integer}}`).join(', ')
    const { body } = operationNamed(await modelOf(post(`requestBody: {content: {${content}}}\n${ok}`)), 'x')
    expect(body).toMatchObject({
      content: { type: 'application/json', aliases: ['application/*+json', 'text/json'] },
      isTagged: false,
    })
  })

  test('of a range is distinguished by the sent type', async () => {
    const model = await modelOf(post(`requestBody: {content: {image/*: {}}}\n${ok}`))
    expect(operationNamed(model, 'x').body?.isTagged).toBe(true)
  })

  test('of a response with several types is each type whose schema is honoured, and the others are reported', async () => {
    const rows = 'schema: {type: array, items: {type: string}}'
    const answer = `responses: {'200': {description: ok, content: {text/csv: {${rows}}, image/png: {}, application/json: {}}}}`
    const { diagnostics, model } = built(await read({ 'a.yaml': document(post(answer)) }))
    const { content, contents, isTagged } = model.documents[0]?.operations[0]?.successes[0] ?? {}
    expect([content?.type, isTagged]).toEqual(['application/json', true])
    expect(contents?.map(({ type }) => type)).toEqual(['image/png', 'application/json'])
    expect(diagnostics[0]).toContain('left out: "text/csv"')
  })

  test('of a form in a response is bytes, which is reported', async () => {
    const answer = "responses: {'200': {description: ok, content: {multipart/form-data: {schema: {type: object}}}}}"
    const { diagnostics, model } = built(await read({ 'a.yaml': document(post(answer)) }))
    expect(model.documents[0]?.operations[0]?.successes[0]?.content?.kind).toBe('bytes')
    expect(codesOf(diagnostics)).toEqual(['7 media-type-opaque'])
  })

  test('of GET is ignored', async () => {
    const model = await modelOf(get(`requestBody: {content: {application/json: {}}}\n${ok}`))
    expect(operationNamed(model, 'x').body).toBeUndefined()
  })
})

describe('responses', () => {
  const json = 'content: {application/json: {schema: {type: string}}}'
  test.each([
    [`{'200': {description: a, ${json}}}`, 'value', [200], []],
    ["{'204': {description: a}, '404': {description: b}}", 'empty', [204], [404]],
    ["{'200': {description: a}, '201': {description: a}}", 'replies', [200, 201], []],
    ["{'200': {description: a, headers: {ETag: {schema: {type: string}}}}}", 'replies', [200], []],
    ['{default: {description: a}}', 'replies', ['default'], []],
    ["{'200': {description: a}, default: {description: b}}", 'empty', [200], ['default']],
    ["{2XX: {description: a}, '409': {description: b}, 4XX: {description: c}}", 'replies', ['2XX'], [409, '4XX']],
    ["{'304': {description: a}, '200': {description: b}}", 'replies', [200, 304], []],
    ["{'404': {description: a}}", 'replies', ['2XX'], [404]],
  ])('%s are given as %s', async (responses, answer, successes, failures) => {
    const operation = operationNamed(await modelOf(get(`responses: ${responses}`)), 'x')
    expect(operation.answer).toBe(answer)
    expect(operation.successes.map(({ status }) => status).toSorted()).toEqual(successes.toSorted())
    expect(operation.failures.map(({ status }) => status).toSorted()).toEqual(failures.toSorted())
  })
})

describe('names', () => {
  test('of routes avoid reserved words, groups and other names of their file', async () => {
    const ids = ['delete', 'pets', 'send', 'list', 'new']
    const paths = ids.map((id, i) => `  /p${i}: {get: {operationId: ${id}, tags: [list], ${ok}}}\n`)
    const model = await modelOf(`paths:\n${paths.join('')}`)
    expect(model.operations.map(({ name, routeName }) => [name, routeName])).toEqual([
      ['delete', 'deleteOperation'],
      ['pets', 'petsOperation'],
      ['send', 'sendOperation'],
      ['list', 'listOperation'],
      ['new', 'newOperation'],
    ])
  })

  test('of requests give way to schemas', async () => {
    const model = await modelOf(`${get(ok)}components: {schemas: {XRequest: {type: string}}}\n`)
    expect(operationNamed(model, 'x').requestName).toBe('XOperationRequest')
  })

  test('that are derived are reported, and stay when paths are added', async () => {
    const one = `paths:\n  /a/{b}: {get: {parameters: [{name: b, in: path, required: true, schema: {}}], ${ok}}}\n`
    const before = built(await read({ 'a.yaml': document(one) }))
    const after = built(await read({ 'a.yaml': document(`${one}  /a/by/b: {get: {${ok}}}\n`) }))
    expect(before.diagnostics[0]).toContain('"getAByB"')
    expect(after.model.documents[0]?.operations.map(({ name }) => name)).toEqual(['getAByB', 'get_20__2f_a_2f_by_2f_b'])
  })

  test('of groups come from first tags, of interfaces from resources', async () => {
    const tagged = ['[quotaOverrides]', '[Über uns, x]', '[pets]', '[]'].map(
      (tags, i) => `  /p${i}: {get: {operationId: o${i}, tags: ${tags}, ${ok}}}\n`,
    )
    const model = await modelOf(
      `paths:\n${tagged.join('')}components: {schemas: {QuotaOverride: {type: object, x-resource: {type: t.quotaOverrides, plural: quota_overrides}}}}\n`,
    )
    expect(model.groups.map(({ name, interfaceName, operations }) => [name, interfaceName, operations.length])).toEqual(
      [
        ['quotaOverrides', 'QuotaOverrideHandlers', 1],
        ['überUns', 'ÜberUnsHandlers', 1],
        ['pets', 'PetsOperationHandlers', 1],
        ['pets_', 'PetsOperationHandlers_', 1],
      ],
    )
  })
})

test('a path is split into text and names', async () => {
  const path = '/a/{id}/b/{c}:verb'
  const parameters =
    'parameters: [{name: id, in: path, required: true, schema: {}}, {name: c, in: path, required: true, schema: {}}]'
  const model = await modelOf(get(`${parameters}\n${ok}`, path))
  expect(operationNamed(model, 'x').pathParts).toEqual(['/a/', 'id', '/b/', 'c', ':verb'])
})
