import { describe, expect, expectTypeOf, it } from 'vitest'
import { duration, flag, integer, number, oneOf, text } from '../../../server/settings/scalars.ts'
import type { Setting } from '../../../server/settings/setting.ts'
import { httpUrlFault } from '../../../server/settings/text-faults.ts'
import { declaring, faultsOf, valuesOf } from './reading.ts'

const port = integer({ min: 1, max: 10 })
const scale = number({ min: 0, max: 1.5 })
const kind = oneOf(['native', 's3', 'other'])
const grace = duration({ min: 0, max: 3_600_000 })

describe('a setting of one value', () => {
  it.each<[string, Setting<unknown>, unknown, unknown]>([
    ['a text', text(), 'x y', 'x y'],
    ['a text that looks like a number', text(), 7, '7'],
    ['a text with a rule', text({ fault: httpUrlFault }), 'http://x', 'http://x'],
    ['a text that may be empty', text({ fault: () => undefined }), '', ''],
    ['the least whole number', port, 1, 1],
    ['the greatest whole number', port, '10', 10],
    ['a number below 0', integer({ min: -5, max: 0 }), -5, -5],
    ['a number with decimals', scale, 0.05, 0.05],
    ['a number without decimals', scale, '1', 1],
    ['yes', flag(), true, true],
    ['no', flag(), 'false', false],
    ['a duration', duration(), '15s', 15_000],
    ['a part of a second', duration(), '0.5s', 500],
    ['a duration that binary fractions miss', duration(), '4.35s', 4350],
    ['no time where that is allowed', grace, '0s', 0],
    ['the longest duration', grace, '3600s', 3_600_000],
    ['a word of several', kind, 's3', 's3'],
  ])('is %s, in a file and in a variable', (_name, setting, written, value) => {
    const declared = declaring(setting)
    expect(valuesOf(declared, { file: { depot: { part: written } } })).toEqual({ 'depot.part': value })
    const environment = { NINEFOLD_DEPOT_PART: String(written) }
    expect(valuesOf(declared, { environment })).toEqual({ 'depot.part': value })
  })

  it.each<[string, Setting<unknown>, unknown, string]>([
    ['an empty text', text(), ' ', 'must not be empty'],
    ['a text of another form', text({ fault: httpUrlFault }), 'ftp://x', 'must be an http or https URL'],
    ['a whole number below', port, 0, 'must be a whole number, 1 to 10'],
    ['a whole number above', port, 11, 'must be a whole number, 1 to 10'],
    ['half a number', port, 1.5, 'must be a whole number, 1 to 10'],
    ['a number of letters', port, '1e0', 'must be a whole number, 1 to 10'],
    ['a number of nothing', port, '', 'must be a whole number, 1 to 10'],
    ['a number with a rule of its own', integer({ min: 1, max: 2, rule: 'must be few' }), 3, 'must be few'],
    ['a decimal number above', scale, 1.51, 'must be a number, 0 to 1.5'],
    ['an invalid number', scale, 'Infinity', 'must be a number, 0 to 1.5'],
    ['a word for yes', flag(), 'yes', 'must be true or false'],
    ['a name that all objects have', flag(), 'constructor', 'must be true or false'],
    ['seconds without their unit', duration(), 5, 'must be a duration such as "15s" or "0.5s"'],
    ['no time at all', duration(), '0s', 'must be a duration such as "15s" or "0.5s"'],
    ['time that no timer takes', duration(), '9999999s', 'must be a duration such as "15s" or "0.5s"'],
    ['too long a time', grace, '3600.001s', 'must be a duration such as "15s" or "0.5s", "0s" to "3600s"'],
    ['another word', kind, 's4', 'must be native, s3 or other, not "s4"'],
    ['another word than the only one', oneOf(['stack']), 'x', 'must be stack, not "x"'],
  ])('is not %s', (_name, setting, written, fault) => {
    const declared = declaring(setting)
    expect(faultsOf(declared, { file: { 'depot.part': written } })).toEqual([`ninefold.json: depot.part ${fault}`])
    const environment = { NINEFOLD_DEPOT_PART: String(written) }
    expect(faultsOf(declared, { environment })).toEqual([`environment: NINEFOLD_DEPOT_PART ${fault}`])
  })

  it.each<[string, Setting<unknown>, string]>([
    ['text', text(), 'must be a text or a number'],
    ['number', port, 'must be a whole number, 1 to 10'],
    ['flag', flag(), 'must be true or false'],
    ['duration', duration(), 'must be a duration such as "15s" or "0.5s"'],
    ['word', kind, 'must be native, s3 or other'],
  ])('that is a %s is no list, no object and not null', (_name, setting, fault) => {
    for (const part of [['s3'], { s3: 1 }, null]) {
      expect(faultsOf(declaring(setting), { file: { depot: { part } } })).toEqual([
        `ninefold.json: depot.part ${fault}`,
      ])
    }
  })

  it('shows at most 80 characters of a word', () => {
    const [fault = ''] = faultsOf(declaring(kind), { file: { 'depot.part': 'x'.repeat(1000) } })
    expect(fault.length).toBeLessThan(160)
  })

  it.each<[string, Setting<unknown>, string]>([
    ['a text', text().default('./data'), '`./data`'],
    ['an empty text', text().default(''), 'empty'],
    ['a number', port.default(5), '`5`'],
    ['a flag', flag().default(false), '`false`'],
    ['a duration', duration().default(500), '`0.5s`'],
    ['a word', kind.default('s3'), '`s3`'],
    ['no default', kind.optional, ''],
    ['words', kind.otherwise('as `depot.other` says'), 'as `depot.other` says'],
  ])('shows %s in its documentation', (_name, { words }, shown) => {
    expect(words).toBe(shown)
  })

  it('has an exact type', () => {
    expectTypeOf(text()).toEqualTypeOf<Setting<string, 'required'>>()
    expectTypeOf(text().optional).toEqualTypeOf<Setting<string, 'optional'>>()
    expectTypeOf(port.default(3)).toEqualTypeOf<Setting<number, 'defaulted'>>()
    expectTypeOf(scale).toEqualTypeOf<Setting<number, 'required'>>()
    expectTypeOf(flag()).toEqualTypeOf<Setting<boolean, 'required'>>()
    expectTypeOf(grace).toEqualTypeOf<Setting<number, 'required'>>()
    expectTypeOf(kind).toEqualTypeOf<Setting<'native' | 's3' | 'other', 'required'>>()
    // @ts-expect-error `s4` is not one of the words
    kind.default('s4')
  })
})
