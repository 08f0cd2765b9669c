import { describe, expect, it } from 'vitest'
import { isBase64, isDate, isDateTime, isUuid } from '../../runtime/formats.ts'
import { parseTimestamp } from '../../runtime/timestamps.ts'
import {
  anyText,
  boolean,
  choice,
  closed,
  entries,
  Faults,
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

/** Returns the faults of a check, each as `field: description`. */
function told(check: (faults: Faults) => void): readonly string[] {
  const faults = new Faults()
  check(faults)
  return faults.list.map(({ field, description }) => `${field}: ${description}`)
}

const fits = (): boolean => true

describe('each check of a type', () => {
  it.each<[string, (value: undefined, faults: Faults) => boolean]>([
    ['anyText', (value, faults) => anyText(value, 'a', faults)],
    ['boolean', (value, faults) => boolean(value, 'a', faults)],
    ['choice', (value, faults) => choice(value, 'a', faults, new Set(['x']))],
    ['file', (value, faults) => file(value, 'a', faults)],
    ['formatted', (value, faults) => formatted(value, 'a', faults, isUuid, 'uuid', /x/u)],
    ['integer', (value, faults) => integer(value, 'a', faults)],
    ['list', (value, faults) => list(value, 'a', faults, fits)],
    ['matches', (value, faults) => matches(value, 'a', faults, /x/u)],
    ['nested', (value, faults) => nested(value, 'a', faults, fits)],
    ['number', (value, faults) => number(value, 'a', faults)],
    ['recursive', (value, faults) => recursive(value, 'a', faults, fits)],
    ['tagged', (value, faults) => tagged(value, 'a', faults, 'kind', { x: fits })],
    ['text', (value, faults) => text(value, 'a', faults, 1, 2, /x/u)],
    ['union', (value, faults) => union(value, 'a', faults, [fits], false)],
  ])('reports itself that a member is required: %s', (_name, check) => {
    expect(told(faults => check(undefined, faults))).toEqual(['a: is required'])
  })
})

it.each([
  [isBase64, 'byte', 'must be a valid base64 text, with its padding'],
  [isUuid, 'uuid', 'must be a valid uuid'],
] as const)('a fault of a format says which text is expected', (isFormat, name, description) => {
  expect(told(faults => formatted('?', 'a', faults, isFormat, name))).toEqual([`a: ${description}`])
})

describe('closed', () => {
  const members = ['a', 'b', 'c'] as const

  it.each([
    ['{}', []],
    ['{"a":1,"b":1,"c":1}', []],
    ['{"b":1,"c":1}', []],
    ['{"c":1,"b":1,"a":1}', []],
    ['{"c":1,"x":1,"a":1,"y":1,"b":1}', ['x', 'y']],
    ['{"__proto__":1,"a":1}', ['__proto__']],
    ['{"constructor":1,"toString":1}', ['constructor', 'toString']],
  ])('accepts members in any order: %s', (json, unknown) => {
    const found = told(faults => {
      closed(JSON.parse(json), faults, members)
    })
    expect(found).toEqual(unknown.map(name => `${name}: is not a known field`))
  })

  it('stops at the limit of reported faults', () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 1]))
    const faults = new Faults()
    closed(value, faults, members)
    expect([faults.list.length, faults.count]).toEqual([100, 100])
  })
})

describe('entries', () => {
  it('names the fault below the name of its entry', () => {
    const check = (value: unknown, faults: Faults): boolean => integer(value, '', faults, 0, 9)
    const value: Record<string, unknown> = JSON.parse('{"a":1,"b":10,"__proto__":"x","not a word":-1}')
    const found = told(faults => {
      entries(value, faults, check, ['a'], /^[^n]/u)
    })
    expect(found).toEqual([
      'b: must be at most 9',
      '__proto__: must be an integer',
      '["not a word"]: must have a name that matches ^[^n]',
    ])
  })
})

describe('isDateTime', () => {
  const days = ['01-01', '02-28', '02-29', '02-30', '04-30', '04-31', '12-31', '00-10', '13-01', '10-00']
  const texts = ['0000', '0001', '0002', '1900', '2000', '2023', '2024', '9998', '9999'].flatMap(year =>
    days.flatMap(day =>
      ['T00:00:00Z', 'T23:59:59.123456789+23:59', 'T00:00:00-00:01', 'T24:00:00Z', 'T00:00:60Z', 't00:00:00z', ''].map(
        rest => `${year}-${day}${rest}`,
      ),
    ),
  )

  it('accepts exactly the texts that parseTimestamp accepts', () => {
    expect(texts.filter(isDateTime)).toEqual(texts.filter(each => parseTimestamp(each) !== undefined))
    expect(texts.filter(isDateTime)).toContain('2024-02-29T00:00:00Z')
    expect(isDate('2023-02-29')).toBe(false)
  })
})
