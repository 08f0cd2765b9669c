import { describe, expect, test } from 'vitest'
import { isDateTime } from '../../runtime/formats.ts'
import { parseTimestamp } from '../../runtime/timestamps.ts'
import {
  Faults,
  anyText,
  boolean,
  choice,
  entries,
  file,
  formatted,
  integer,
  list,
  matches,
  nested,
  number,
  recursive,
  tagged,
  text,
  union,
} from '../../runtime/validation.ts'

type Judge = (value: unknown, field: string, faults: Faults) => boolean

const judges: Readonly<Record<string, Judge>> = {
  anyText,
  boolean,
  file,
  integer,
  number,
  text,
  choice: (value, field, faults) => choice(value, field, faults, new Set(['a'])),
  formatted: (value, field, faults) => formatted(value, field, faults, () => true, 'uuid'),
  list: (value, field, faults) => list(value, field, faults, () => true),
  matches: (value, field, faults) => matches(value, field, faults, /a/u),
  nested: (value, field, faults) => nested(value, field, faults, () => true),
  recursive: (value, field, faults) => recursive(value, field, faults, () => true),
  tagged: (value, field, faults) => tagged(value, field, faults, 'kind', {}),
  union: (value, field, faults) => union(value, field, faults, [() => true], true),
}

describe('a member that is not given', () => {
  test.each(Object.entries(judges))('is required, says %s', (_name, judge) => {
    const faults = new Faults()
    expect(judge(undefined, 'size', faults)).toBe(false)
    expect(faults.list).toEqual([{ field: 'size', description: 'is required' }])
  })

  test('is required below the deepest level too, since nothing is nested there', () => {
    const faults = new Faults()
    faults.depth = 64
    recursive(undefined, 'size', faults, () => true)
    expect(faults.list).toEqual([{ field: 'size', description: 'is required' }])
  })
})

describe('a whole value that is not given', () => {
  test('is of another type than the one that must be given', () => {
    const faults = new Faults()
    anyText(undefined, '', faults)
    expect(faults.list).toEqual([{ field: '', description: 'must be a string' }])
  })
})

describe('the entries of an object', () => {
  const judge = (value: object): readonly string[] => {
    const faults = new Faults()
    entries({ ...value }, faults, anyText0)
    return faults.list.map(({ field }) => field)
  }
  const anyText0 = (value: unknown, faults: Faults): boolean => anyText(value, '', faults)

  test('are its own: a member called __proto__ is judged as sent', () => {
    const faults = new Faults()
    const sent: unknown = JSON.parse('{"__proto__": 1, "a": "b", "constructor": 2}')
    if (typeof sent !== 'object' || sent === null) throw new Error('the example is no object')
    entries(Object.fromEntries(Object.entries(sent)), faults, anyText0)
    expect(faults.list.map(({ field }) => field)).toEqual(['__proto__', 'constructor'])
  })

  test('are never what the object inherits', () => {
    const faults = new Faults()
    const inheriting: Record<string, unknown> = Object.create({ inherited: 1 })
    entries(inheriting, faults, anyText0)
    expect(faults.list).toEqual([])
  })

  test('are named where one is wrong', () => expect(judge({ a: 'b', 'c d': 1 })).toEqual(['["c d"]']))
})

describe('a date-time', () => {
  const years = ['0000', '0001', '0002', '1900', '2000', '2024', '2026', '9998', '9999']
  const days = ['01-01', '01-31', '02-28', '02-29', '02-30', '04-30', '04-31', '12-31', '00-10', '13-10', '06-00']
  const times = ['00:00:00', '23:59:59', '24:00:00', '12:60:00', '12:00:60', '12:00:00.1', '12:00:00.1234567890']
  const offsets = ['Z', 'z', '', '+00:00', '-00:01', '+23:59', '-23:59', '+24:00', '+00:60']

  test('is valid exactly where it can be parsed', () => {
    for (const year of years)
      for (const day of days)
        for (const time of times)
          for (const offset of offsets) {
            const sent = `${year}-${day}T${time}${offset}`
            expect([sent, isDateTime(sent)]).toEqual([sent, parseTimestamp(sent) !== undefined])
          }
  })
})
