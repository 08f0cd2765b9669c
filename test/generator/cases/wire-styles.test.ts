import fc from 'fast-check'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder, repository } from '../generation.ts'
import { connected, connectedDocument, documentOf, type Wire } from './wire.ts'

const empty = { responses: { '204': { description: 'done' } } }

const schemas = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
  integers: { type: 'array', items: { type: 'integer' } },
  object: { type: 'object', properties: { s: { type: 'string' }, n: { type: 'integer' }, 'a b': { type: 'boolean' } } },
  lists: { type: 'object', properties: { t: { type: 'array', items: { type: 'string' } } } },
  deep: {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { b: { type: 'integer' }, t: { type: 'array', items: { type: 'string' } } } },
    },
  },
  either: { anyOf: [{ type: 'object', properties: { gt: { type: 'integer' } } }, { type: 'integer' }] },
  map: { type: 'object', additionalProperties: { type: 'integer' } },
  listMap: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
  openMap: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: true },
  plainMap: { type: 'object' },
  deepMap: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'boolean' } } },
  deepOpen: { type: 'object', additionalProperties: true },
  json: { type: 'object', additionalProperties: true },
} as const

type Kind = keyof typeof schemas

const whole: fc.Arbitrary<number> = fc.integer()
const text = fc.string({ unit: 'grapheme', maxLength: 6 })
const some = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: 1, maxLength: 3 })
const given = (of: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> =>
  fc.record(of, { requiredKeys: [] }).filter(value => Object.keys(value).length > 0)

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0)
/** Lists that no text equals: a list of one item is written like the item. */
const many = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: 2, maxLength: 3 })
/** Maps with names of their own, which are neither declared members nor parts of a style. */
const mapOf = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc
    .dictionary(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), of, { minKeys: 1, maxKeys: 3 })
    .filter(map => !('n' in map))

/** Values of each kind. Empty lists and objects are left out of a request, so that no value has them. */
const values: Readonly<Record<Kind, fc.Arbitrary<unknown>>> = {
  text,
  integer: whole,
  number,
  flag: fc.boolean(),
  texts: some(text),
  integers: some(whole),
  object: given({ s: text, n: whole, 'a b': fc.boolean() }),
  lists: given({ t: some(text) }),
  deep: given({ a: given({ b: whole, t: some(text) }) }),
  either: fc.oneof(whole, given({ gt: whole })),
  map: mapOf(whole),
  listMap: mapOf(some(number)),
  openMap: fc
    .tuple(given({ n: whole }), mapOf(fc.oneof(text, many(text))))
    .map(([declared, others]) => ({ ...others, ...declared })),
  plainMap: mapOf(text),
  deepMap: mapOf(mapOf(fc.boolean())),
  deepOpen: mapOf(fc.oneof(text, many(text), mapOf(mapOf(text)))),
  json: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })).map(value => JSON.parse(JSON.stringify(value))),
}

const maps: readonly Kind[] = ['map', 'listMap', 'openMap', 'plainMap']
const flat: readonly Kind[] = ['text', 'integer', 'number', 'flag', 'texts', 'integers', 'object', 'lists', ...maps]
const lists: readonly Kind[] = ['texts', 'integers']
const exploding = [true, false]

/** The styles of each place with the kinds of values that they carry (OpenAPI 3.0.3, Style Values). */
const styles: readonly (readonly [
  place: string,
  style: string,
  explode: readonly boolean[],
  kinds: readonly Kind[],
])[] = [
  ['path', 'simple', exploding, flat],
  ['path', 'label', exploding, flat],
  ['path', 'matrix', exploding, flat],
  ['query', 'form', exploding, flat],
  ['query', 'spaceDelimited', [false], lists],
  ['query', 'pipeDelimited', [false], lists],
  ['query', 'deepObject', [true], ['object', 'lists', 'deep', 'either', ...maps, 'deepMap', 'deepOpen']],
  ['header', 'simple', exploding, flat],
  ['cookie', 'form', exploding, flat],
  ...['path', 'query', 'header', 'cookie'].map(place => [place, 'json', [false], ['json']] as const),
]

interface Case {
  readonly id: string
  readonly kind: Kind
  readonly parameter: object
  readonly place: string
}

const cases: readonly Case[] = styles.flatMap(([place, style, explodes, kinds]) =>
  explodes.flatMap(explode =>
    kinds.flatMap(kind =>
      [false, ...(place === 'query' && style !== 'json' ? [true] : [])].map((allowReserved): Case => {
        const id = [place, style, explode ? 'exploded' : 'joined', kind, ...(allowReserved ? ['reserved'] : [])].join(
          '_',
        )
        const shape =
          style === 'json'
            ? { content: { 'application/json': { schema: schemas[kind] } } }
            : { style, explode, schema: schemas[kind] }
        return {
          id,
          kind,
          place,
          parameter: {
            name: 'p',
            in: place,
            ...(place === 'path' && { required: true }),
            ...(allowReserved && { allowReserved }),
            ...shape,
          },
        }
      }),
    ),
  ),
)

const document = documentOf(
  Object.fromEntries(
    cases.map(({ id, parameter, place }) => [
      `/${id}${place === 'path' ? '/{p}/end' : ''}`,
      { get: { operationId: id, parameters: [parameter], ...empty } },
    ]),
  ),
)

let wire: Wire
beforeAll(async () => void (wire = await connectedDocument(document)))
afterAll(() => removeFolder(wire.folder))

const runs = Number(process.env['NINEFOLD_STYLE_RUNS'] ?? 25)

test.each(cases)('$id carries each value, or throws before sending', async ({ id, kind }) => {
  await fc.assert(
    fc.asyncProperty(values[kind], async p => {
      const before = wire.sent.length
      const [result] = await Promise.allSettled([wire.call(id, { p })])
      if (result.status === 'fulfilled') expect(result.value).toEqual({ p })
      else
        expect({ error: result.reason, sent: wire.sent.length }).toEqual({ error: expect.any(TypeError), sent: before })
    }),
    { numRuns: runs },
  )
})

test.each<[id: string, p: unknown, target: string]>([
  ['path_label_joined_texts', ['a', 'b.c'], '/.a,b%2Ec/end'],
  ['path_label_exploded_texts', ['a', 'b.c'], '/.a.b%2Ec/end'],
  ['path_label_exploded_object', { s: 'x', n: 1 }, '/.s=x.n=1/end'],
  ['path_label_joined_text', 'a', '/.a/end'],
  ['path_matrix_joined_texts', ['a', 'b'], '/;p=a,b/end'],
  ['path_matrix_exploded_texts', ['a', ''], '/;p=a;p/end'],
  ['path_matrix_exploded_object', { s: 'x', n: 1 }, '/;s=x;n=1/end'],
  ['path_matrix_joined_object', { s: 'x', n: 1 }, '/;p=s,x,n,1/end'],
  ['path_matrix_joined_text', '', '/;p/end'],
  ['query_deepObject_exploded_deep', { a: { b: 1, t: ['x', 'y'] } }, '?p%5Ba%5D%5Bb%5D=1&p%5Ba%5D%5Bt%5D=x&p%5Ba%5D%5Bt%5D=y'],
  ['query_deepObject_exploded_either', 7, '?p=7'],
  ['query_form_joined_texts_reserved', ['a/b', 'c,d&e'], '?p=a/b,c%2Cd%26e'],
  ['query_form_exploded_text_reserved', "/quotes/h2g2.txt:?@!$'()*,;=&#+%", "?p=/quotes/h2g2.txt:?@!$'()*,;=%26%23%2B%25"],
])('%s of %o is written as %s', async (id, p, target) => {
  await wire.call(id, { p })
  expect(wire.sent.at(-1)?.url).toBe(`http://service.test/${id}${target}`)
}) // prettier-ignore

describe('the server', () => {
  test.each<[target: string, arrives: unknown]>([
    ['/query_deepObject_exploded_deep?p[a][b]=1&p[a][t][]=x&p[a][t][]=y', { p: { a: { b: 1, t: ['x', 'y'] } } }],
    ['/query_deepObject_exploded_deep?p[a]=1', 400],
    ['/query_deepObject_exploded_deep?p[a][b][c]=1', 400],
    ['/query_deepObject_exploded_deep?p[a][__proto__][b]=1', 400],
    ['/query_deepObject_exploded_deep?p[__proto__][b]=1', 400],
    ['/query_deepObject_exploded_deep?p[a]b]=1', 400],
    ['/query_deepObject_exploded_either?p=1&p[gt]=2', 400],
    ['/query_deepObject_exploded_object?p[constructor]=1', { p: { constructor: '1' } }],
    ['/path_label_joined_text/a/end', 400],
    ['/path_matrix_joined_text/;q=a/end', 400],
    ['/path_matrix_joined_text/p=a/end', 400],
    ['/path_matrix_exploded_texts/;p=a;q=b/end', 400],
    ['/path_matrix_exploded_object/;s=a=b;n=1/end', { p: { s: 'a=b', n: 1 } }],
  ])('reads %s', async (target, arrives) => {
    const before = wire.reached.length
    const answer = await wire.host(new Request(`http://service.test${target}`))
    if (arrives === 400) expect([answer.status, wire.reached.length]).toEqual([400, before])
    else expect(wire.given.at(-1)).toEqual(arrives)
  }) // prettier-ignore
})

describe('reserved characters and empty values', () => {
  let files: Wire
  beforeAll(async () => void (files = await connected('allow-reserved.yaml', join(repository, 'test/cases/openapi-2'))))
  afterAll(() => removeFolder(files.folder))

  test.each([
    ['path=a/b?c&plain=a%2Fb', { path: 'a/b?c', plain: 'a/b' }],
    ['path=a&deep', { path: 'a', deep: true }],
    ['path=a&deep=', { path: 'a', deep: true }],
    ['path=a&deep=false&flag', { path: 'a', deep: false, flag: '' }],
  ])('%s is read', async (query, request) => {
    expect((await files.host(new Request(`http://service.test/files?${query}`))).status).toBe(204)
    expect(files.given.at(-1)).toEqual(request)
  })

  test('are sent where the document allows them', async () => {
    await files.call('findFiles', { path: 'a/b', plain: 'a/b', tags: ['a:b', 'c,d'] })
    expect(files.sent.at(-1)?.url).toBe('http://service.test/files?path=a/b&tags=a:b,c%2Cd&plain=a%2Fb')
  })
})
