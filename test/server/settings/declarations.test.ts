import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  declaredSettings,
  knownSettings,
  type SettingDeclarations,
  type SettingValues,
} from '../../../server/settings/declarations.ts'
import { listOf } from '../../../server/settings/lists.ts'
import { object } from '../../../server/settings/objects.ts'
import { duration, flag, integer, text } from '../../../server/settings/scalars.ts'
import { GivenSettings, settingsOf } from '../../../server/settings/values.ts'
import { faultsOf, valuesOf } from './reading.ts'

const depot = {
  'depot.roots': listOf(object({ path: text() }))
    .derived('`<data_dir>/depot`', ({ dataDir }) => [{ path: `${dataDir}/depot` }])
    .describe('the folders of parts'),
  'depot.page_url': text()
    .derived('`base_url`', ({ baseUrl }) => baseUrl ?? 'nowhere')
    .describe('where its pages are'),
  'depot.grace': duration().default(5000).describe('how long parts are kept'),
  'depot.note': text().describe('what is printed on parts'),
  'depot.is_open': flag().optional.describe('anybody may come in'),
} as const satisfies SettingDeclarations

describe('settings of an area', () => {
  it('have defaults, which may depend on the settings of the server', () => {
    expect(valuesOf(depot, { file: { data_dir: '/srv', base_url: 'https://x.example/' } })).toEqual({
      'depot.roots': [{ path: '/srv/depot' }],
      'depot.page_url': 'https://x.example',
      'depot.grace': 5000,
      'depot.note': undefined,
      'depot.is_open': undefined,
    })
  })

  it('come from the file, and with precedence from the environment', () => {
    const file = { depot: { grace: '1s', note: 'x', is_open: false }, 'depot.roots': [{ path: '/a' }] }
    const environment = { NINEFOLD_DEPOT_GRACE: '2s', NINEFOLD_DEPOT_PAGE_URL: 'y' }
    expect(valuesOf(depot, { file, environment })).toEqual({
      'depot.roots': [{ path: '/a' }],
      'depot.page_url': 'y',
      'depot.grace': 2000,
      'depot.note': 'x',
      'depot.is_open': false,
    })
  })

  it('can be given by a test, without a file', () => {
    const given = new GivenSettings().with(depot['depot.grace'], 7)
    const config = { dataDir: '/srv', baseUrl: undefined, given }
    expect(settingsOf(config, depot)['depot.grace']).toBe(7)
    expect(settingsOf({ dataDir: '/srv', baseUrl: undefined }, depot)['depot.grace']).toBe(5000)
    // @ts-expect-error a duration is a number
    given.with(depot['depot.grace'], '7s')
  })

  it('have exact types', () => {
    expectTypeOf<SettingValues<typeof depot>>().toEqualTypeOf<{
      readonly 'depot.roots': readonly { readonly path: string }[]
      readonly 'depot.page_url': string
      readonly 'depot.grace': number
      readonly 'depot.note': string | undefined
      readonly 'depot.is_open': boolean | undefined
    }>()
    expectTypeOf(settingsOf<typeof depot>).returns.toEqualTypeOf<SettingValues<typeof depot>>()
    // @ts-expect-error a setting needs a description
    void ({ 'depot.note': text() } satisfies SettingDeclarations)
  })

  it.each<[string, unknown, string]>([
    ['a misspelt key', { depot: { root: [] } }, '"depot.root" is no setting (did you mean "depot.roots"?)'],
    ['a key like one of the server', { data: { dir: '/x' } }, '"data.dir" is no setting (did you mean "data_dir"?)'],
    [
      'a part of a value',
      { 'depot.roots.path': 'x' },
      '"depot.roots.path" is no setting; it belongs in the value of "depot.roots"',
    ],
    [
      'an object for a scalar',
      { depot: { grace: { s: 1 } } },
      'depot.grace must be a duration such as "15s" or "0.5s"',
    ],
    ['a key that is given twice', { 'depot.note': 'x', depot: { note: 'y' } }, 'depot.note is given twice'],
  ])('do not come from %s', (_name, file, fault) => {
    expect(faultsOf(depot, { file })).toEqual([`ninefold.json: ${fault}`])
  })

  it('do not come from the variables of commands of clients', () => {
    expect(faultsOf(depot, { environment: { NINEFOLD_WORKSPACE: 'acme/web' } })).toEqual([])
  })

  it('are read even if another source has faults, so that all faults are reported', () => {
    expect(faultsOf(depot, { file: '{', environment: { NINEFOLD_DEPOT_GRACE: '5', NINEFOLD_DEPOT_ROOT: '' } })).toEqual(
      [
        expect.stringMatching(/^ninefold\.json must hold JSON: /),
        'environment: NINEFOLD_DEPOT_ROOT is no setting (did you mean "NINEFOLD_DEPOT_ROOTS"?)',
        'environment: NINEFOLD_DEPOT_GRACE must be a duration such as "15s" or "0.5s"',
      ],
    )
  })
})

describe('declarations', () => {
  const flagged = flag().optional.describe('a setting of the tests')

  it.each<[string, readonly string[], string]>([
    ['the same key twice', ['a.b', 'a.b'], 'the settings "a.b" and "a.b" cannot be told apart: rename one'],
    ['keys of one variable', ['a.b_c', 'a.b.c'], 'the settings "a.b_c" and "a.b.c" cannot be told apart'],
    ['a key within another', ['a.b', 'a.b.c'], 'the settings "a.b" and "a.b.c" cannot be told apart'],
    ['a key around another', ['a.b.c', 'a.b'], 'the settings "a.b.c" and "a.b" cannot be told apart'],
    ['a key of another form', ['a.Bc'], 'the key of the setting "a.Bc" must be dotted words in lower case'],
    ['one setting under two keys', ['a.b', 'a.c'], 'the setting "a.c" is declared under another key too'],
  ])('of %s are refused', (_name, keys, message) => {
    expect(() => knownSettings(keys.map(key => ({ [key]: flagged })))).toThrow(message)
  })

  it('of areas have the names of the areas', () => {
    const known = declaredSettings([{ domain: { name: 'depot' }, settings: depot }, { domain: { name: 'other' } }])
    expect(known).toEqual([depot])
    expect(() => declaredSettings([{ domain: { name: 'other' }, settings: depot }])).toThrow(
      'the area other: settings: the key "depot.roots" must begin with "other."; rename it',
    )
  })

  it('may limit numbers that tests give directly', () => {
    const declared = { 'depot.n': integer({ min: 0, max: 1 }).describe('a setting of the tests') }
    expect(valuesOf(declared, { file: { depot: { n: 0 } } })).toEqual({ 'depot.n': 0 })
  })
})
