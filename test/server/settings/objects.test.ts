import { describe, expect, expectTypeOf, it } from 'vitest'
import { listOf } from '../../../server/settings/lists.ts'
import { mapOf, object, objectByKind } from '../../../server/settings/objects.ts'
import { duration, flag, integer, oneOf, text } from '../../../server/settings/scalars.ts'
import type { Setting } from '../../../server/settings/setting.ts'
import { declaring, faultsOf, valuesOf } from './reading.ts'

const roots = listOf(
  object({ path: text(), location: oneOf(['local', 'far']).default('local'), note: text().optional }),
)

const engines = listOf(
  objectByKind({
    native: { name: text(), shards: integer({ min: 1, max: 8 }).default(2) },
    s3: { name: text(), url: text(), tls: object({ verify: flag() }).optional },
  }),
  { uniqueBy: 'name' },
)

const limits = mapOf(object({ rate: integer({ min: 1, max: 100 }), window: duration().optional }), {
  nameFault: name => (/^[a-z]+$/.test(name) ? undefined : 'must be named by a workspace'),
})

/** Returns a value as it is written in a file, and as it is written in a variable. */
const bothWays = (value: unknown) => [
  { file: { depot: { part: value } } },
  { environment: { NINEFOLD_DEPOT_PART: JSON.stringify(value) } },
]

describe('a setting of several values', () => {
  it.each<[string, Setting<unknown>, unknown, unknown]>([
    ['an object with and without its members', object({ a: text(), b: flag().optional }), { a: 'x' }, { a: 'x' }],
    [
      'a list of objects with defaults',
      roots,
      [{ path: '/a' }, { path: '/b', location: 'far', note: 'old' }],
      [
        { path: '/a', location: 'local' },
        { path: '/b', location: 'far', note: 'old' },
      ],
    ],
    ['a list of nothing', roots, [], []],
    [
      'objects of several kinds',
      engines,
      [
        { kind: 's3', name: 'b', url: 'x', tls: { verify: true } },
        { name: 'a', kind: 'native' },
      ],
      [
        { kind: 's3', name: 'b', url: 'x', tls: { verify: true } },
        { kind: 'native', name: 'a', shards: 2 },
      ],
    ],
    [
      'a map',
      limits,
      { acme: { rate: 5, window: '2s' }, constructor: { rate: '6' } },
      new Map([
        ['acme', { rate: 5, window: 2000 }],
        ['constructor', { rate: 6 }],
      ]),
    ],
    ['a list of lists', listOf(object({ hosts: listOf(text()) })), [{ hosts: 'a, b' }], [{ hosts: ['a', 'b'] }]],
  ])('is %s, in a file and in a variable', (_name, setting, written, value) => {
    for (const way of bothWays(written)) expect(valuesOf(declaring(setting), way)).toEqual({ 'depot.part': value })
  })

  it.each<[string, unknown]>([
    ['a list', [1, ' 2 ']],
    ['a text with commas', '1, 2,'],
  ])('is, of numbers, %s', (_name, part) => {
    const declared = declaring(listOf(integer({ min: 0, max: 9 })))
    if (typeof part === 'string') {
      expect(valuesOf(declared, { file: { 'depot.part': part } })).toEqual({ 'depot.part': [1, 2] })
      expect(valuesOf(declared, { environment: { NINEFOLD_DEPOT_PART: part } })).toEqual({ 'depot.part': [1, 2] })
    } else {
      expect(faultsOf(declared, { file: { 'depot.part': part } })).toEqual([
        'ninefold.json: depot.part[1] must be a whole number, 0 to 9',
      ])
    }
  })

  it.each<[string, Setting<unknown>, unknown, readonly string[]]>([
    ['no list', roots, { path: '/a' }, [' must be a list']],
    ['no object', object({ a: text() }), ['a'], [' must be an object']],
    ['no map', limits, 5, [' must be an object']],
    ['an invalid item', engines, [null], ['[0] must be an object']],
    ['an absent member', roots, [{ path: '/a' }, {}], ['[1].path is required']],
    ['an unknown member', roots, [{ path: '/a', pth: 1 }], ['[0] has no member "pth" (did you mean "path"?)']],
    ['a member of another kind', engines, [{ kind: 'native', name: 'a', url: 'x' }], ['[0] has no member "url"']],
    ['no kind', engines, [{ name: 'a' }], ['[0].kind is required']],
    ['another kind', engines, [{ name: 'a', kind: 's4' }], ['[0].kind must be native or s3, not "s4"']],
    [
      'a kind that all objects have',
      engines,
      [{ kind: 'toString' }],
      ['[0].kind must be native or s3, not "toString"'],
    ],
    ['a member of the prototype', roots, [{ path: '/a', ['__proto__']: 1 }], ['[0] has no member "__proto__"']],
    [
      'a faulty member deep within',
      engines,
      [{ kind: 's3', name: 'a', url: 'x', tls: { verify: 'yes' } }],
      ['[0].tls.verify must be true or false'],
    ],
    [
      'a name that stands twice',
      engines,
      [
        { kind: 'native', name: 'a' },
        { kind: 's3', name: 'b', url: 'x' },
        { kind: 's3', name: 'a', url: 'x' },
      ],
      ['[2].name must be unique, but "a" stands in [0] too'],
    ],
    ['a name of a map', limits, { '7': { rate: 1 } }, ['["7"] must be named by a workspace']],
    ['a value of a map', limits, { acme: { rate: 0 } }, ['["acme"].rate must be a whole number, 1 to 100']],
    [
      'a rule of the whole list',
      listOf(text(), { fault: ({ length }) => (length < 2 ? 'is too short' : undefined) }),
      'a',
      [' is too short'],
    ],
    [
      'several of them',
      engines,
      [{ kind: 'native', name: '', shards: 9, x: 1 }, 5, { kind: 's3', nam: 'a' }],
      [
        '[0] has no member "x"',
        '[0].name must not be empty',
        '[0].shards must be a whole number, 1 to 8',
        '[1] must be an object',
        '[2] has no member "nam" (did you mean "name"?)',
        '[2].name is required',
        '[2].url is required',
      ],
    ],
  ])('with %s is refused', (_name, setting, written, faults) => {
    const declared = declaring(setting)
    expect(faultsOf(declared, { file: { depot: { part: written } } })).toEqual(
      faults.map(fault => `ninefold.json: depot.part${fault}`),
    )
    const environment = { NINEFOLD_DEPOT_PART: typeof written === 'string' ? written : JSON.stringify(written) }
    expect(faultsOf(declared, { environment })).toEqual(faults.map(fault => `environment: NINEFOLD_DEPOT_PART${fault}`))
  })

  it('is JSON in a variable', () => {
    expect(faultsOf(declaring(engines), { environment: { NINEFOLD_DEPOT_PART: 'a,b' } })).toEqual([
      'environment: NINEFOLD_DEPOT_PART must hold JSON: unexpected character at line 1, column 1',
    ])
  })

  it.each<[string, Setting<unknown>, string]>([
    ['texts', listOf(text()).default(['a', 'b']), '`a`, `b`'],
    ['nothing', engines.default([]), 'none'],
    [
      'objects',
      engines.default([{ kind: 'native', name: 'a', shards: 1 }]),
      '`[{"kind":"native","name":"a","shards":1}]`',
    ],
    ['an object', object({ a: text() }).default({ a: 'x' }), '`{"a":"x"}`'],
    ['a map', mapOf(text()).default(new Map([['a', 'x']])), '`{"a":"x"}`'],
    ['an empty map', mapOf(text()).default(new Map()), 'none'],
  ])('shows %s in its documentation', (_name, { words }, shown) => {
    expect(words).toBe(shown)
  })

  it('has an exact type', () => {
    expectTypeOf(listOf(text())).toEqualTypeOf<Setting<readonly string[], 'required'>>()
    expectTypeOf(roots).toEqualTypeOf<
      Setting<
        readonly { readonly path: string; readonly location: 'local' | 'far'; readonly note?: string }[],
        'required'
      >
    >()
    expectTypeOf(engines).toEqualTypeOf<
      Setting<
        readonly (
          | { readonly kind: 'native'; readonly name: string; readonly shards: number }
          | {
              readonly kind: 's3'
              readonly name: string
              readonly url: string
              readonly tls?: { readonly verify: boolean }
            }
        )[],
        'required'
      >
    >()
    expectTypeOf(limits).toEqualTypeOf<
      Setting<ReadonlyMap<string, { readonly rate: number; readonly window?: number }>, 'required'>
    >()
    // @ts-expect-error `x` is not a member of both kinds
    listOf(objectByKind({ a: { x: text() }, b: { y: text() } }), { uniqueBy: 'x' })
    // @ts-expect-error a unique member must be a text
    listOf(object({ n: integer({ min: 0, max: 1 }) }), { uniqueBy: 'n' })
    // @ts-expect-error a member of an object cannot be derived from other settings
    object({ path: text().derived('x', ({ dataDir }) => dataDir) })
    // @ts-expect-error every object by kind already has the member `kind`
    objectByKind({ a: { kind: text() } })
  })
})
