import { expect, test } from 'vitest'
import { generation, newFolder, removeFolder, writeFiles } from '../generation.ts'

/** Generates a document with one operation that has this body and response; returns the text of one generated file. */
async function generated(part: string, content: string, answer = "'204': {description: ok}"): Promise<string> {
  const folder = newFolder()
  const text = `openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a:
    post:
      operationId: x
      requestBody: {required: true, content: {${content}}}
      responses: {${answer}}
components:
  schemas:
    XRequestLine: {type: string}
`
  writeFiles(folder, new Map([['a.yaml', text]]))
  try {
    const { files } = await generation(['a.yaml'], folder)
    return files.get(`a/${part}.ts`) ?? ''
  } finally {
    removeFolder(folder)
  }
}

const object = (properties: string): string => `{schema: {type: object, properties: {${properties}}}}`

test.each([
  ['tags: {type: array, items: {type: integer}}', "{ name: 'tags', type: { array: 'integer' } }"],
  ['flat: {type: object, properties: {a: {type: boolean}}}', "{ name: 'flat', type: { object: { a: 'boolean' } } }"],
  ['deep: {type: object, properties: {a: {type: object}}}', "{ name: 'deep', type: 'json' }"],
  ['map: {type: object, additionalProperties: {type: string}}', "{ name: 'map', type: 'json' }"],
  ['rows: {type: array, items: {type: object}}', "{ name: 'rows', type: 'json' }"],
  ['any: {}', "{ name: 'any', type: 'string' }"],
  ['either: {oneOf: [{type: string}, {type: integer}]}', "{ name: 'either', type: 'string' }"],
  ['both: {oneOf: [{type: string}, {type: object}]}', "{ name: 'both', type: 'json' }"],
])('a field of text: %s', async (property, expected) => {
  const routes = await generated('routes', `application/x-www-form-urlencoded: ${object(property)}`)
  expect(routes).toContain(`formFields([${expected}])`)
})

test.each([
  ['file: {type: string, format: binary}', "{ name: 'file', type: 'file' }"],
  ['files: {type: array, items: {type: string, format: binary}}', "{ name: 'files', type: { array: 'file' } }"],
  ['size: {type: integer}', "{ name: 'size', type: 'integer' }"],
  ['rows: {type: array, items: {type: object}}', "{ name: 'rows', type: { array: 'json' } }"],
  ['one: {type: object}', "{ name: 'one', type: 'json' }"],
])('a part of a form: %s', async (property, expected) => {
  const routes = await generated('routes', `multipart/form-data: ${object(property)}`)
  expect(routes).toContain(`multipartForm([${expected}])`)
})

test('additional members have the type of additionalProperties', async () => {
  const schema = '{schema: {type: object, additionalProperties: {type: integer}}}'
  expect(await generated('routes', `application/x-www-form-urlencoded: ${schema}`)).toContain(
    `formFields([], 'integer')`,
  )
  expect(await generated('routes', `multipart/form-data: ${schema}`)).toContain(`multipartForm([], 'integer')`)
})

test.each([
  ['{type: integer}', 'eventStream()'],
  ['{type: string}', 'eventStream({ isText: true })'],
  ['{type: object, properties: {data: {type: integer}, id: {type: string}}}', 'eventStream({ isWhole: true })'],
  ['{type: object, properties: {data: {type: string}}}', 'eventStream({ isText: true, isWhole: true })'],
  ['{type: object, properties: {data: {type: string}, more: {type: string}}}', 'eventStream()'],
])('events of %s', async (schema, expected) => {
  const answer = `'200': {description: ok, content: {text/event-stream: {schema: ${schema}}}}`
  expect(await generated('routes', 'application/json: {}', answer)).toContain(expected)
})

test('the check of an item never takes the name of a schema', async () => {
  const validators = await generated('validators', 'application/jsonl: {schema: {type: integer}}')
  expect(validators.match(/function checkXRequestLine\w*/g)).toEqual([
    'function checkXRequestLine',
    'function checkXRequestLine_',
  ])
})

test('a content type never becomes code', async () => {
  const content = '"x`${pwned}\'\\\\*/": {schema: {type: string}}, "application/json": {}'
  expect(await generated('types', content)).toContain("{ contentType: `x\\`\\${pwned}'\\\\${string}/`; body: Bytes }")
  expect(await generated('routes', content)).toContain(`{ type: "x\`\${pwned}'\\\\*/", kind: rawBytes }`)
})
