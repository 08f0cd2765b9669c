import { describe, expect, test } from 'vitest'
import { bare, bareSchema, built, codesOf, document, modelOf, operationNamed, read } from '../reading.ts'

const posting = (type: string, media: string, components = ''): string =>
  `paths:
  /a:
    post:
      operationId: x
      requestBody:
        content:
          ${type}: ${media}
      responses: {'204': {description: ok}}
${components}`

const form = 'multipart/form-data'
const text = 'application/x-www-form-urlencoded'
const file = '{type: string, format: binary, maxLength: 9}'

describe('files', () => {
  test('are texts of the format binary in a multipart form, alone or in lists', async () => {
    const schema = `{type: object, properties: {one: ${file}, many: {type: array, items: ${file}}, note: {type: string}}}`
    const model = await modelOf(posting(form, `{schema: ${schema}}`))
    expect(bare(operationNamed(model, 'x').body?.content.schema)).toMatchObject({
      properties: [
        { name: 'one', schema: { kind: 'binary' } },
        { name: 'many', schema: { kind: 'array', items: { kind: 'binary' } } },
        { name: 'note', schema: { kind: 'string' } },
      ],
    })
  })

  test('stay texts within nested objects, which travel as JSON, and in bodies that are not forms', async () => {
    const schema = `{type: object, properties: {inner: {type: object, properties: {one: {type: string, format: binary}}}}}`
    for (const type of [form, text, 'application/json']) {
      const model = await modelOf(posting(type, `{schema: ${schema}}`))
      expect(JSON.stringify(bare(operationNamed(model, 'x').body?.content.schema))).toContain('"format":"binary"')
    }
  })

  test('are found through references, in the named schemas that only forms use', async () => {
    const model = await modelOf(
      posting(
        form,
        "{schema: {$ref: '#/components/schemas/Form'}}",
        `components:
  schemas:
    Form: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {two: {$ref: '#/components/schemas/File'}}}]}
    Base: {type: object, properties: {one: {type: string, format: binary}, other: {$ref: '#/components/schemas/Other'}}}
    File: {type: string, format: binary}
    Other: {type: object, properties: {text: {type: string, format: binary}}}
`,
      ),
    )
    expect(bareSchema(model, 'File')).toEqual({ kind: 'binary' })
    expect(bareSchema(model, 'Base')).toMatchObject({ properties: [{ schema: { kind: 'binary' } }, {}] })
    expect(bareSchema(model, 'Other')).toMatchObject({ properties: [{ schema: { kind: 'string', format: 'binary' } }] })
  })
})

describe('encodings', () => {
  const schema = '{type: object, properties: {a: {type: array, items: {type: string}}}}'

  test('of a URL-encoded form declare style and explode', async () => {
    const model = await modelOf(
      posting(text, `{schema: ${schema}, encoding: {a: {style: pipeDelimited, explode: false}}}`),
    )
    expect(bare(operationNamed(model, 'x').body?.content)).toMatchObject({
      encoding: [{ name: 'a', style: 'pipeDelimited', explode: false }],
    })
  })

  test('of a multipart form declare the content type', async () => {
    const model = await modelOf(
      posting(form, `{schema: ${schema}, encoding: {a: {contentType: 'image/png, image/gif'}}}`),
    )
    expect(bare(operationNamed(model, 'x').body?.content)).toMatchObject({
      encoding: [{ name: 'a', contentType: 'image/png, image/gif' }],
    })
  })

  test.each([
    [form, '{a: {style: form}}', ['10 encoding-keyword']],
    [form, '{b: {contentType: text/plain}}', ['10 encoding-unknown']],
    ['application/json', '{a: {contentType: text/plain}}', ['10 encoding-ignored']],
  ])('of %s: %s are reported unless they have an effect', async (type, encoding, codes) => {
    const source = posting(type, `{schema: ${schema},\n            encoding: ${encoding}}`)
    const { diagnostics } = built(await read({ 'a.yaml': document(source) }))
    expect(codesOf(diagnostics)).toEqual(codes)
  })

  test.each([
    ['{o: {type: object, properties: {a: {type: string}}}, a: {type: string}}', '{}', true],
    ['{a: {type: string}, o: {type: object, properties: {a: {type: string}}}}', '{}', true],
    [
      '{o: {type: object, properties: {b: {type: string}}}, p: {type: object, properties: {b: {type: string}}}}',
      '{}',
      true,
    ],
    ['{o: {type: object, properties: {o: {type: string}}}}', '{}', false],
    ['{o: {type: object, properties: {b: {type: string}}}, a: {type: string}}', '{}', false],
    ['{o: {type: object, properties: {a: {type: string}}}, a: {type: string}}', '{o: {style: deepObject}}', false],
    ['{o: {type: object, properties: {a: {type: string}}}, a: {type: string}}', '{o: {explode: false}}', false],
    [
      '{o: {type: object, properties: {a: {type: string}}}, a: {type: string}}',
      '{o: {contentType: application/json}}',
      false,
    ],
    ['{o: {type: object, properties: {a: {type: object}}}, a: {type: string}}', '{}', false],
  ])(
    'objects whose members take names of others in a text form are reported: %s, %s',
    async (properties, encoding, is) => {
      const schema = `{schema: {type: object, properties: ${properties}}, encoding: ${encoding}}`
      const { diagnostics } = built(await read({ 'a.yaml': document(posting(text, schema)) }))
      expect(codesOf(diagnostics)).toEqual(is ? ['9 form-members'] : [])
      expect(built(await read({ 'a.yaml': document(posting(form, schema)) })).diagnostics.join()).not.toContain(
        'form-members',
      )
    },
  )

  test('headers are reported as not honoured', async () => {
    const source = posting(form, `{schema: ${schema}, encoding: {a: {headers: {}}}}`)
    const { diagnostics } = await read({ 'a.yaml': document(source) })
    expect(codesOf(diagnostics)).toEqual(['9 not-honoured'])
  })
})
