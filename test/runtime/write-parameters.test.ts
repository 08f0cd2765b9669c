import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parameterReader } from '../../runtime/parameters/read.ts'
import { toCookie } from '../../runtime/parameters/write.ts'
import type { Written } from '../../runtime/parameters/write.ts'
import { Faults } from '../../runtime/validation.ts'
import { written } from './written.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'

const query = (parameter: Partial<Parameter>, value: unknown) =>
  written({ name: 'p', in: 'query', type: 'string', ...parameter }, value)

describe('a query parameter', () => {
  const range = { object: { min: 'integer', max: 'integer', tags: { array: 'string' } } } as const
  test.each<[string, Partial<Parameter>, unknown, string]>([
    ['a text', {}, 'a b&c=d+é', 'p=a%20b%26c%3Dd%2B%C3%A9'],
    ['an empty text', {}, '', 'p='],
    ['a number', { type: 'integer' }, 0, 'p=0'],
    ['a boolean', { type: 'boolean' }, false, 'p=false'],
    ['an absent value', {}, undefined, ''],
    ['null', {}, null, ''],
    ['a name with brackets', { name: 'ids[]', type: { array: 'string' } }, ['1', '2'], 'ids%5B%5D=1&ids%5B%5D=2'],
    ['a name with an ampersand', { name: 'q&a' }, 'x', 'q%26a=x'],
    ['a list, exploded', { type: { array: 'string' } }, ['x,y', 'z'], 'p=x%2Cy&p=z'],
    ['a list, not exploded', { type: { array: 'integer' }, explode: false }, [1, 2], 'p=1,2'],
    ['a list with pipes', { type: { array: 'string' }, style: 'pipeDelimited' }, ['p', 'q'], 'p=p|q'],
    ['a list with spaces', { type: { array: 'string' }, style: 'spaceDelimited' }, ['r', 's'], 'p=r%20s'],
    ['an empty list', { type: { array: 'string' } }, [], ''],
    ['an empty list in one text', { type: { array: 'string' }, explode: false }, [], ''],
    ['an object, exploded', { type: range }, { min: 1, max: 2, tags: ['a', 'b'] }, 'min=1&max=2&tags=a&tags=b'],
    ['an object, not exploded', { type: range, explode: false }, { min: 1, max: undefined }, 'p=min,1'],
    ['a deep object', { type: range, style: 'deepObject' }, { min: 1990, max: null }, 'p%5Bmin%5D=1990'],
    ['JSON', { type: 'json' }, { lat: 1, lon: 2 }, 'p=%7B%22lat%22%3A1%2C%22lon%22%3A2%7D'],
    ['null as JSON', { type: 'json' }, null, 'p=null'],
  ])('writes %s', (_, parameter, value, text) => {
    expect(query(parameter, value)).toBe(text)
  })

  test.each([
    ['spaceDelimited', 'a b'],
    ['pipeDelimited', 'a|b'],
  ] as const)('refuses an item that contains the separator of %s', (style, item) => {
    expect(() => query({ type: { array: 'string' }, style }, [item])).toThrow(/query parameter "p" holds an item with/)
  })

  test('refuses half of a surrogate pair instead of a bare URIError', () => {
    expect(() => query({}, 'a\ud800')).toThrow(new TypeError('query parameter "p" holds half a character'))
  })
})

describe('a path parameter', () => {
  const id: Parameter = { name: 'id', in: 'path', type: 'string' }
  test.each([
    ['a/b c?#%.txt', 'a%2Fb%20c%3F%23%25.txt'],
    ['vm:start', 'vm%3Astart'],
    ['..a', '..a'],
    ['%2e%2e', '%252e%252e'],
  ])('writes %s', (value, text) => expect(written(id, value)).toBe(text))

  test.each([[''], ['.'], ['..'], [undefined], [null]])('refuses %s, which would name another path', value => {
    expect(() => written(id, value)).toThrow(/^path parameter "id" must not be "/)
  })
})

describe('a header parameter', () => {
  test('is omitted when absent', () => {
    expect(written({ name: 'x', in: 'header', type: 'string' }, undefined)).toBeNull()
    expect(written({ name: 'x', in: 'header', type: { array: 'string' } }, [])).toBeNull()
  })
  test('refuses a list item with a comma', () => {
    expect(() => written({ name: 'x', in: 'header', type: { array: 'string' } }, ['a,b'])).toThrow(TypeError)
    expect(written({ name: 'x', in: 'header', type: 'string' }, 'a,b')).toBe('a,b')
  })
})

test('all cookies are in one header', () => {
  const sent: Written = { path: new Map(), query: '', headers: new Headers(), body: null, signal: AbortSignal.any([]) }
  toCookie({ name: 'a', in: 'cookie', type: 'string' }, 'ü', sent)
  toCookie({ name: 'absent', in: 'cookie', type: 'string' }, undefined, sent)
  toCookie({ name: 'b', in: 'cookie', type: 'integer' }, 1, sent)
  expect(sent.headers.get('cookie')).toBe('a=%C3%BC; b=1')
})

describe('parsing returns the written values', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(value => value.isWellFormed())
  const plain = fc
    .string({ unit: fc.constantFrom(...'abz019._~-'), minLength: 1, maxLength: 8 })
    .map(value => `k${value}`)
  const scalars = {
    string: text,
    integer: fc.maxSafeInteger(),
    number: fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
    boolean: fc.boolean(),
  }
  const scalarType = fc.constantFrom('string', 'integer', 'number', 'boolean')
  const ofType = scalarType.chain(type => fc.record({ type: fc.constant(type), value: scalars[type] }))
  const list = (item: fc.Arbitrary<string>) =>
    fc.array(item, { minLength: 1, maxLength: 5 }).map(value => ({ type: { array: 'string' } as const, value }))
  const object = (item: fc.Arbitrary<string>) =>
    fc
      .record({ k1: item, k2: fc.integer(), k3: fc.boolean() }, { requiredKeys: ['k1'] })
      .map(value => ({ type: { object: { k1: 'string', k2: 'integer', k3: 'boolean' } } as const, value }))
  const jsonValue = fc.jsonValue({ maxDepth: 3 }).map(value => ({ type: 'json' as const, value }))

  const read = (parameter: Parameter, query: string, path: readonly string[], headers: Record<string, string>) => {
    const faults = new Faults()
    const { p } = parameterReader([parameter], ['p'])({ query, path, headers }, faults)
    expect(faults.list).toEqual([])
    return p
  }
  const same = (value: unknown) => JSON.parse(JSON.stringify(value))

  test.each<['query' | 'cookie', Partial<Parameter>, fc.Arbitrary<{ type: Parameter['type']; value: unknown }>]>([
    ['query', {}, fc.oneof(ofType, list(text), object(text), jsonValue)],
    ['query', { explode: false }, fc.oneof(ofType, list(text), object(text), jsonValue)],
    ['query', { style: 'deepObject' }, object(text)],
    ['query', { style: 'pipeDelimited' }, fc.oneof(list(plain), object(plain))],
    ['query', { style: 'spaceDelimited' }, fc.oneof(list(plain), object(plain))],
    ['cookie', {}, fc.oneof(ofType, list(text), object(text), jsonValue)],
    ['cookie', { explode: false }, fc.oneof(ofType, list(text), object(text))],
  ])('in %s, %j', (place, form, values) => {
    fc.assert(
      fc.property(values, ({ type, value }) => {
        const parameter: Parameter = { name: 'p', in: place, type, ...form }
        const sent = written(parameter, value) ?? ''
        const found = place === 'query' ? read(parameter, sent, [], {}) : read(parameter, '', [], { cookie: sent })
        expect(same(found)).toEqual(same(value))
      }),
    )
  })

  const inPath = text.filter(value => value !== '' && value !== '.' && value !== '..')
  test.each([[false], [true]])('in a path, explode %s', explode => {
    fc.assert(
      fc.property(
        fc.oneof(
          inPath.map(value => ({ type: 'string' as const, value })),
          list(inPath),
          object(inPath),
        ),
        ({ type, value }) => {
          const parameter: Parameter = { name: 'p', in: 'path', type, explode }
          expect(same(read(parameter, '', [written(parameter, value) ?? ''], {}))).toEqual(same(value))
        },
      ),
    )
  })

  test.each([[false], [true]])('in a header, explode %s', explode => {
    fc.assert(
      fc.property(
        fc.oneof(
          ofType.filter(({ type }) => type !== 'string'),
          list(plain),
          object(plain),
        ),
        ({ type, value }) => {
          const parameter: Parameter = { name: 'P', member: 'p', in: 'header', type, explode }
          expect(same(read(parameter, '', [], { p: written(parameter, value) ?? '' }))).toEqual(same(value))
        },
      ),
    )
  })
})
