import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder } from '../generation.ts'
import { generationOf } from './made.ts'
import { connectedDocument, documentOf, type Wire } from './wire.ts'

const body = (schema: object) => ({
  post: {
    operationId: 'put',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 204: { description: 'ok' } },
  },
})

const document = documentOf({
  '/a': body({
    type: 'object',
    required: ['value'],
    properties: { value: { anyOf: [{ type: 'string' }, { type: 'null' }] }, none: { type: 'null' } },
  }),
})

describe('the type "null" in OpenAPI 3.0', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connectedDocument(document)))
  afterAll(() => removeFolder(wire.folder))

  test('is a warning with its place', async () => {
    const printed = await generationOf(document)
    expect(printed.filter(line => line.includes('type-null'))).toHaveLength(2)
    expect(printed.join('\n')).not.toContain(' error ')
  })

  test.each([{ value: null }, { value: 'a', none: null }])('permits null: %j', async sent => {
    expect(await wire.call('put', { body: sent })).toEqual({ body: sent })
  })

  test.each([{ value: 1 }, { value: null, none: 'a' }])('permits no other value: %j', async sent => {
    const call = wire.answered('put', { body: sent }, undefined)
    await expect(call).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  })
})

test('examples of a schema that are no list are a warning in OpenAPI 3.1', async () => {
  const newer = { ...documentOf({ '/a': body({ type: 'string', examples: { one: 'a' } }) }), openapi: '3.1.0' }
  expect(await generationOf(newer)).toEqual([expect.stringContaining('warning examples-list: "examples" of a schema')])
})
