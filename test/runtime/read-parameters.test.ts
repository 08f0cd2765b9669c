import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parameterReader } from '../../runtime/parameters/read.ts'
import { Faults } from '../../runtime/validation.ts'
import { written } from './written.ts'
import type { ParameterType, Parameter } from '../../runtime/parameters/types.ts'

interface Sent {
  readonly path?: readonly string[]
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

function read(parameters: readonly Parameter[], { path = [], query = '', headers = {} }: Sent) {
  const faults = new Faults()
  const names = parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)
  const request = parameterReader(parameters, names)({ path, query, headers }, faults)
  return { request, faults: faults.list.map(({ field, description }) => `${field} ${description}`) }
}

type Style = NonNullable<Parameter['style']>

const query = (name: string, type: ParameterType, more: Partial<Parameter> = {}): Parameter => ({
  name,
  in: 'query',
  type,
  ...more,
})

const flags = [query('all', 'boolean'), query('level', 'integer'), query('ratio', 'number'), query('code', 'string')]
const lists = [
  query('a', { array: 'string' }),
  query('b', { array: 'integer' }, { explode: false }),
  query('c', { array: 'string' }, { style: 'pipeDelimited', explode: false }),
  query('d', { array: 'string' }, { style: 'spaceDelimited', explode: false }),
]
const year = { object: { min: 'integer', max: 'integer', tags: { array: 'string' } } } as const
const deep = [query('year', year, { style: 'deepObject' }), query('page', 'integer')]
const spread = [query('year', year), query('flat', { object: { r: 'integer', g: 'integer' } }, { explode: false })]
const brackets = [
  query('page[number]', 'integer'),
  query('ids[]', { array: 'integer' }),
  query('$top', 'integer'),
  query('q&a', 'string'),
]
const near = [query('near', 'json')]

test.each<[text: string, parameters: readonly Parameter[], expected: unknown]>([
  ['', flags, {}],
  ['all=true&level=2&ratio=-1.5e3&code=007', flags, { all: true, level: 2, ratio: -1500, code: '007' }],
  ['all=false&level=-12&ratio=0&code=', flags, { all: false, level: -12, ratio: 0, code: '' }],
  ['code=a+b%2Bc', flags, { code: 'a b+c' }],
  ['code&&', flags, { code: '' }],
  ['code=a=b', flags, { code: 'a=b' }],
  ['%63ode=%C3%A9', flags, { code: 'é' }],
  ['a=x&a=y&b=1,2&c=p|q&d=r%20s', lists, { a: ['x', 'y'], b: [1, 2], c: ['p', 'q'], d: ['r', 's'] }],
  ['c=p%7Cq&d=r+s', lists, { c: ['p', 'q'], d: ['r', 's'] }],
  ['a=x%2Cy', lists, { a: ['x,y'] }],
  ['b=1,z', lists, { b: [1, 'z'] }],
  ['b=1%2C2', lists, { b: ['1,2'] }],
  ['year[min]=1990&year%5Bmax%5D=2000&page=2', deep, { year: { min: 1990, max: 2000 }, page: 2 }],
  ['year[tags]=x&year[tags]=y', deep, { year: { tags: ['x', 'y'] } }],
  ['year[min]=abc&year[size]=3', deep, { year: { min: 'abc', size: '3' } }],
  ['page=1', deep, { page: 1 }],
  ['min=1&tags=x&tags=y&flat=r,1,g,2', spread, { year: { min: 1, tags: ['x', 'y'] }, flat: { r: 1, g: 2 } }],
  [
    'page[number]=2&ids%5B%5D=1&ids[]=2&%24top=5&q%26a=x',
    brackets,
    { 'page[number]': 2, 'ids[]': [1, 2], $top: 5, 'q&a': 'x' },
  ],
  ['near=%7B%22lat%22%3A%221%22%7D', near, { near: { lat: '1' } }],
])('query %s', (text, parameters, expected) => {
  expect(read(parameters, { query: text })).toEqual({ request: expected, faults: [] })
})

test.each([
  ['level', '007'],
  ['level', '1.0'],
  ['level', '1e1'],
  ['level', '+1'],
  ['level', ' 1'],
  ['level', '0x10'],
  ['level', ''],
  ['ratio', 'NaN'],
  ['ratio', 'Infinity'],
  ['ratio', '.5'],
  ['all', '1'],
  ['all', 'TRUE'],
  ['all', ''],
])('%s=%s stays text, which the check refuses', (name, text) => {
  expect(read(flags, { query: `${name}=${encodeURIComponent(text)}` })).toEqual({
    request: { [name]: text },
    faults: [],
  })
})

test.each<[text: string, parameters: readonly Parameter[], fault: RegExp]>([
  ['code=a&code=b', flags, /^code must be given once$/],
  ['b=1&b=2', lists, /^b must be given once$/],
  ['nope=1', flags, /^nope is not a parameter/],
  ['Code=1', flags, /^Code is not a parameter/],
  ['__proto__=1', flags, /^__proto__ is not a parameter/],
  [`${'n'.repeat(5000)}=1`, flags, /^n{80} is not a parameter/],
  ['code=%zz', flags, /^code has broken percent-encoding/],
  ['a=x&a=%ff', lists, /^a has invalid UTF-8 in its percent-encoding/],
  ['code=%C3', flags, /^code has invalid UTF-8 in its percent-encoding/],
  ['code=%C3%2', flags, /^code has broken percent-encoding/],
  ['%zz=1', flags, /^%zz is not a parameter/],
  ['year=1', deep, /^year is not a parameter/],
  ['year[min][x]=1', deep, /^year\.min must be given as "year\[name\]=value"$/],
  ['year[min=1', deep, /^year\.min=?/],
  ['year[min]=1&year[min]=2', deep, /^year\.min must be given once$/],
  ['flat=r,1,g', spread, /^flat must be pairs/],
  ['near=nope', near, /^near must be valid JSON$/],
  [`near=${'['.repeat(2000)}`, near, /^near must be nested at most 100 deep$/],
])('query %.20s is refused by name', (text, parameters, fault) => {
  const { faults } = read(parameters, { query: text })
  expect(faults).toEqual([expect.stringMatching(fault)])
})

test('every fault of a query is reported, up to a hundred', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `x${index}=1`).join('&')
  expect(read(flags, { query: text }).faults).toHaveLength(100)
})

test('a member with the name __proto__ changes no prototype', () => {
  const { request } = read(deep, { query: 'year[__proto__]=1' })
  expect(Object.keys(Object(request.year))).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(request.year)).toBe(Object.prototype)
})

test('paths, headers and cookies are parsed in their own styles', () => {
  const parameters: Parameter[] = [
    { name: 'id', in: 'path', type: 'integer' },
    { name: 'id', member: 'id_2', in: 'query', type: 'string' },
    { name: 'Id', member: 'id_3', in: 'header', type: 'boolean' },
    { name: 'ids', in: 'path', type: { array: 'string' } },
    { name: 'X-Color', in: 'header', type: { object: { r: 'integer' } }, explode: true },
    { name: 'X-List', in: 'header', type: { array: 'integer' } },
    { name: 'basket', in: 'cookie', type: 'string' },
    { name: 'sizes', in: 'cookie', type: { array: 'integer' } },
    { name: 'theme', in: 'cookie', type: 'string' },
  ]
  const headers = {
    id: 'true',
    'x-color': 'r=1, g=a',
    'x-list': '1, 2',
    cookie: 'basket=a%20b; sizes=1; other=%zz; sizes=2',
  }
  expect(read(parameters, { path: ['7', 'a%2Cb,c'], query: 'id=a', headers })).toEqual({
    request: {
      id: 7,
      id_2: 'a',
      id_3: true,
      ids: ['a,b', 'c'],
      'X-Color': { r: 1, g: 'a' },
      'X-List': [1, 2],
      basket: 'a b',
      sizes: [1, 2],
    },
    faults: [],
  })
})

/** Generates texts without the separators of any style, and without blanks, which headers lose at the ends. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter(value => value.isWellFormed() && !/[|\s]/.test(value) && value !== '.' && value !== '..')
const items = fc.array(text, { minLength: 1 })
const members = fc.record({ r: text, g: text }, { requiredKeys: ['r'] })
const shapes: readonly [type: ParameterType, values: fc.Arbitrary<unknown>, styles: readonly Style[]][] = [
  ['string', text, ['form']],
  ['integer', fc.maxSafeInteger(), ['form']],
  ['number', fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0), ['form']],
  ['boolean', fc.boolean(), ['form']],
  ['json', fc.jsonValue().map(value => JSON.parse(JSON.stringify({ value }))), ['form']],
  [{ array: 'string' }, items, ['form', 'pipeDelimited', 'spaceDelimited']],
  [{ object: { r: 'string', g: 'string' } }, members, ['form', 'deepObject']],
]

const inQueries = shapes.flatMap(([type, values, styles]) =>
  styles.flatMap(style => [true, false].map(explode => ({ type, values, style, explode }))),
)

test.each(inQueries.filter(({ style, explode }) => explode || style !== 'deepObject'))(
  'the server parses a client’s query to the same values: $type $style $explode',
  ({ type, values, style, explode }) => {
    const parameter = query('p', type, { style, explode })
    fc.assert(
      fc.property(values, value => {
        const sent = { query: written(parameter, value) ?? '' }
        expect(read([parameter], sent)).toEqual({ request: { p: value }, faults: [] })
      }),
    )
  },
)

test.each(shapes)('the server parses a client’s path to the same values: %j', (type, values) => {
  const parameter: Parameter = { name: 'p', in: 'path', type }
  fc.assert(
    fc.property(values, value => {
      expect(read([parameter], { path: [written(parameter, value) ?? ''] })).toEqual({
        request: { p: value },
        faults: [],
      })
    }),
  )
})

test('the server parses a client’s header to the same values', () => {
  const parameter: Parameter = { name: 'X-P', in: 'header', type: { array: 'integer' } }
  fc.assert(
    fc.property(fc.array(fc.maxSafeInteger(), { minLength: 1 }), value => {
      const header = written(parameter, value) ?? ''
      expect(read([parameter], { headers: { 'x-p': header } })).toEqual({ request: { 'X-P': value }, faults: [] })
    }),
  )
})
