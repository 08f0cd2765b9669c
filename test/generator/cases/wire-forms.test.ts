import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder } from '../generation.ts'
import { connectedDocument, type Wire } from './wire.ts'

const done = { responses: { '204': { description: 'done' } } }

/** Returns a document of OpenAPI with an operation for each form, keyed by the name of the operation. */
const formsOf = (openapi: string, forms: Readonly<Record<string, object>>): object => ({
  openapi,
  info: { title: 'made', version: '1' },
  paths: Object.fromEntries(
    Object.entries(forms).map(([operationId, content]) => [
      `/${operationId}`,
      { post: { operationId, requestBody: { required: true, content }, ...done } },
    ]),
  ),
  components: {
    schemas: {
      File: { type: 'string', format: 'binary' },
      Point: { type: 'object', properties: { x: { type: 'integer' } } },
    },
  },
})

const form = (properties: object, further: object = {}, required: readonly string[] = []): object => {
  const { encoding, ...rest }: { readonly encoding?: object } = { ...further }
  return {
    'multipart/form-data': {
      schema: { type: 'object', properties, ...rest, ...(required.length > 0 && { required }) },
      ...(encoding && { encoding }),
    },
  }
}

const file = { type: 'string', format: 'binary' }
const many = { type: 'array', items: { $ref: '#/components/schemas/File' } }

const older = formsOf('3.0.3', {
  plain: form({
    title: { type: 'string' },
    n: { type: 'number' },
    ok: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  }),
  json: form(
    {
      point: { $ref: '#/components/schemas/Point' },
      points: { type: 'array', items: { $ref: '#/components/schemas/Point' } },
      texts: { type: 'array', items: { type: 'string' } },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      any: {},
    },
    { encoding: { texts: { contentType: 'application/json' } } },
  ),
  files: form({ one: file, many, may: { ...file, nullable: true }, must: { ...file, nullable: true } }, {}, ['must']),
  typed: form(
    { text: { type: 'string' }, patch: { type: 'object' }, image: file },
    {
      encoding: {
        text: { contentType: 'text/markdown' },
        patch: { contentType: 'application/merge-patch+json' },
        image: { contentType: 'image/png' },
      },
    },
  ),
  open: form({ a: { type: 'string' } }, { additionalProperties: true }),
})

const optional = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] })
const newer = formsOf('3.1.0', {
  files: form(
    {
      one: optional(file),
      many: optional({ type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } }),
      point: optional({ $ref: '#/components/schemas/Point' }),
      must: optional({ $ref: '#/components/schemas/File' }),
      either: { anyOf: [file, { type: 'string' }] },
      n: optional({ type: 'integer' }),
    },
    {},
    ['must'],
  ),
})

/** Returns files in a form that tests can compare: their names, types and texts. */
async function shown(value: unknown): Promise<unknown> {
  if (value instanceof File) return { name: value.name, type: value.type, text: await value.text() }
  if (Array.isArray(value)) return await Promise.all(value.map(shown))
  if (typeof value !== 'object' || value === null) return value
  const members = await Promise.all(Object.entries(value).map(async ([name, member]) => [name, await shown(member)]))
  return Object.fromEntries(members)
}

let wires: Readonly<Record<'older' | 'newer', Wire>>
beforeAll(async () => {
  wires = { older: await connectedDocument(older), newer: await connectedDocument(newer) }
})
afterAll(() => Object.values(wires).forEach(({ folder }) => removeFolder(folder)))

const called = async (version: 'older' | 'newer', operation: string, body: unknown): Promise<unknown> => {
  const given = (await wires[version].call(operation, { body })) as { readonly body: unknown }
  return await shown(given.body)
}

const empty = (name: string): object => ({ name, type: 'text/plain', text: '' })
const text = { type: 'text/plain' }

describe('a multipart form', () => {
  test.each<[version: 'older' | 'newer', operation: string, body: object, arrives?: object]>([
    ['older', 'plain', { title: 'a\nb\r\nc "d" ü', n: 1.5, ok: false, tags: ['a', '', 'b'] }],
    ['older', 'plain', {}],
    ['older', 'plain', { title: '--', tags: [] }, { title: '--' }],
    ['older', 'json', { point: { x: 1 }, points: [{ x: 1 }, { x: 2 }], texts: ['a', 'b'], map: { a: 1 }, any: { deep: [1] } }],
    ['older', 'json', { points: [{}], texts: [], any: 'text' }],
    ['older', 'json', { any: new File(['x'], 'a.bin', text) }, { any: { name: 'a.bin', ...text, text: 'x' } }],
    ['older', 'open', { a: 'a', z: { deep: true }, y: 'text' }],
    ['older', 'files', { one: new File([], 'empty.txt', text), must: null }, { one: empty('empty.txt'), must: null }],
    ['older', 'files', { many: [new File(['1'], 'a "1".txt', text), new Blob(['2'])], may: null, must: new Blob([]) }, {
      many: [{ name: 'a "1".txt', ...text, text: '1' }, { name: 'blob', type: 'application/octet-stream', text: '2' }],
      must: { name: 'blob', type: 'application/octet-stream', text: '' },
    }],
    ['older', 'files', { many: [], must: null }, { must: null }],
    ['newer', 'files', { one: null, many: null, point: null, n: null, must: null }, { must: null }],
    ['newer', 'files', { one: new File(['1'], 'a', text), many: [new File(['2'], 'b', text)], point: { x: 1 }, must: new File(['3'], 'c', text), n: 5, either: 'x' }, {
      one: { name: 'a', ...text, text: '1' },
      many: [{ name: 'b', ...text, text: '2' }],
      must: { name: 'c', ...text, text: '3' },
      point: { x: 1 },
      n: 5,
      either: 'x',
    }],
    ['newer', 'files', { either: new File(['1'], 'a', text), must: null }, { either: { name: 'a', ...text, text: '1' }, must: null }],
  ])('of %s, %s arrives as it was sent: %o', async (version, operation, body, arrives = body) => {
    expect(await called(version, operation, body)).toEqual(arrives)
  }) // prettier-ignore

  const formData = (parts: readonly (readonly [name: string, value: string | Blob, file?: string])[]): FormData => {
    const data = new FormData()
    for (const [name, value, fileName] of parts) {
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, value, ...(fileName === undefined ? [] : [fileName]))
    }
    return data
  }
  const json = (value: unknown): Blob => new Blob([JSON.stringify(value)], { type: 'application/json' })
  const bytes = { type: 'application/octet-stream' }

  test.each<[operation: string, parts: Parameters<typeof formData>[0], arrives: object]>([
    ['json', [['point', json({ x: 1 })]], { point: { x: 1 } }],
    ['json', [['point', '{"x":1}']], { point: { x: 1 } }],
    ['json', [['points', json({ x: 1 })], ['points', '{"x":2}']], { points: [{ x: 1 }, { x: 2 }] }],
    ['json', [['any', json({ x: 1 })]], { any: { x: 1 } }],
    ['open', [['a', new Blob(['a'], text)], ['more', json([1])]], { a: 'a', more: [1] }],
    ['files', [['one', new Blob([], bytes), ''], ['many', new Blob([], bytes), '']], { must: null }],
    ['files', [['many', new Blob([], bytes), ''], ['many', new File(['1'], 'a', text)]], { many: [{ name: 'a', ...text, text: '1' }], must: null }],
  ])('of another client is read by its schema: %s of %o', async (operation, parts, arrives) => {
    expect(await called('older', operation, formData(parts))).toEqual(arrives)
  }) // prettier-ignore

  test('has JSON without a file name, and the declared content types', async () => {
    const image = new Blob(['1'])
    const patch = { a: null }
    expect(
      await called('older', 'typed', { text: '# a', patch, image: new Blob(['1'], { type: 'image/png' }) }),
    ).toEqual({
      text: '# a',
      patch,
      image: { name: 'blob', type: 'image/png', text: '1' },
    })
    expect(await called('older', 'typed', { image })).toEqual({ image: { name: 'blob', type: 'image/png', text: '1' } })
    await called('older', 'typed', { text: '# a', patch, image })
    const sent = wires.older.sent.at(-1)?.body
    const lines = (sent instanceof Blob ? await sent.text() : '')
      .split('\r\n')
      .filter(line => line.startsWith('content-'))
    expect(lines).toEqual([
      'content-disposition: form-data; name="text"',
      'content-type: text/markdown',
      'content-disposition: form-data; name="patch"',
      'content-type: application/merge-patch+json',
      'content-disposition: form-data; name="image"; filename="blob"',
      'content-type: image/png',
    ])
  })
})
