import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { matches } from '../../../runtime/filter/evaluate.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { aipCases, unknownIds, type AipCase } from '../aip-cases.ts'
import { caseFields, type CaseSchema } from './case-fields.ts'

type Verdict = boolean | 'error'

interface EvalCase extends AipCase {
  readonly fields: CaseSchema
  readonly item: object
  readonly filter: string
  readonly result: Verdict
  readonly alt?: readonly Verdict[]
}

const cases = aipCases<EvalCase>('filter-eval')

/**
 * The cases that conventions §8 decide in another way, keyed by the id of the case: the actual result, and the reason.
 */
const different: Readonly<Record<string, readonly [Verdict, string]>> = {
  'fe-061': [false, 'integers of any size compare, an unsigned field has no bound'],
  'fe-072': [false, 'integers of any size compare exactly'],
  'fe-102': ['error', 'the unspecified value is never answered, so it is an unknown enum value'],
  'fe-122': [true, 'RFC 3339 §5.6 allows t and z in lower case'],
  'fe-160': ['error', 'null is no time; unset is asked with NOT owner.since:*'],
  'fe-161': ['error', 'null is no time'],
  'fe-162': ['error', 'null is no time'],
  'fe-164': ['error', 'a PRESENCE field takes nothing but :*'],
  'fe-165': [true, 'numbers have no presence of their own: unset reads as 0'],
  'fe-169': ['error', 'null is no integer'],
  'fe-202': [false, 'presence of a boolean is a value other than false'],
  'fe-205': ['error', 'a PRESENCE field takes nothing but :*; owner.team:* asks the same'],
  'fe-288': ['error', 'a literal of the wrong type'],
  'fe-329': ['error', 'bare words are refused'],
  'fe-331': ['error', 'bare words are refused'],
  'fe-332': ['error', 'bare words are refused'],
  'fe-333': ['error', 'bare words are refused'],
}

describe('a filter of the cases', () => {
  it('is looked up in tables of existing cases', () => expect(unknownIds(different, cases)).toEqual([]))

  it.each(cases)('$id is $result for its item: $filter', ({ id, filter, fields, item, result, alt }) => {
    const decided = different[id]
    expect(verdict(filter, caseFields(fields, item, filter), item)).toBe(decided ? decided[0] : result)
    if (decided && alt) expect(alt).toContain(decided[0])
  })
})

const vms: ListFields = {
  fields: [
    { name: 'name', type: 'STRING', operators: ['=', '!=', '<', '<=', '>', '>=', ':'], sortable: true },
    { name: 'status', type: 'ENUM', operators: ['=', '!=', ':'], enumValues: ['VM_RUNNING', 'VM_STOPPED'] },
    { name: 'labels', type: 'MAP', operators: ['=', '!=', ':'] },
    { name: 'numa', type: 'PRESENCE', operators: [':'] },
    { name: 'cpu.count', type: 'INTEGER', operators: ['=', '!=', '<', '<=', '>', '>='] },
    { name: 'nics.subnet_id', type: 'STRING', list: true, operators: [':'] },
    { name: 'subnets', path: 'nics.subnet_id', type: 'STRING', list: true, operators: [':'] },
    { name: 'auto_restart', type: 'BOOLEAN', operators: ['=', '!='] },
    { name: 'create_time', type: 'TIMESTAMP', operators: ['=', '!=', '<', '<=', '>', '>='] },
    { name: 'size_bytes', type: 'INTEGER', operators: [], sortable: true },
  ],
  defaultOrder: 'name',
  key: 'id',
}

describe('a filter that does not match its list', () => {
  it.each([
    ['nmae = x', 0, 'unknown field "nmae" (did you mean "name"?)'],
    ['name = x AND createTime > 2026-01-01T00:00:00Z', 13, 'unknown field "createTime" (did you mean "create_time"?)'],
    ['name = x and cpu.count = 2', 9, 'keywords are upper case; use AND'],
    ['web', 0, '"web" stands alone; name a field'],
    ['name = lower(x)', 7, 'functions are not supported'],
    ['cpu.count:2', 0, 'field "cpu.count" takes = != < <= > >=, not :'],
    ['auto_restart > true', 0, 'field "auto_restart" takes = !=, not >'],
    ['auto_restart = yes', 15, '"yes" is not true or false'],
    ['status = VM_STOPED', 9, '"VM_STOPED" is not a value of this field (did you mean "VM_STOPPED"?)'],
    ['status = x', 9, '"x" is not a value of this field; use VM_RUNNING, VM_STOPPED'],
    ['cpu.count > (1 OR many)', 18, '"many" is not an integer'],
    ['create_time > yesterday', 14, 'is not an RFC 3339 time'],
    ['numa = x', 0, 'field "numa" can only be tested with :*'],
    ['nics.subnet_id = x', 0, 'field "nics.subnet_id" takes :, not ='],
    ['labels = x', 0, 'field "labels" takes :, not ='],
    ['labels.env < x', 0, 'field "labels" takes = != :, not <'],
    ['labels.a.b = x', 0, 'dots need quotes, as in labels."a.b"'],
    ['name.first = x', 0, 'field "name" has no "first" to filter by'],
    ['size_bytes = 1', 0, '"size_bytes" can only be sorted by'],
    ['"cpu.count" = 1', 0, 'unknown field "cpu.count"'],
    ['name = a."b"', 7, 'put the whole value in quotes'],
    ['name = "x', 7, 'unterminated string, close the quote'],
    [
      'status\u00a0= VM_RUNNING',
      6,
      'the no-break space U+00A0 is no blank; write an ordinary space, or quote the value',
    ],
    ['name = "a\u00a0b" AND\u2003status = x', 16, 'the character U+2003 is no blank'],
    ['name = \ufeffweb', 7, 'the character U+FEFF is no blank'],
    ['status = "VM\u202eRUNNING"', 9, String.raw`"VM\u202eRUNNING" is not a value`],
    [`${'x'.repeat(500)} = 1`, 0, 'unknown field "xxx'],
  ])('%s is refused at %i: %s', (text, position, message) => {
    const error = refusalOf(text)
    expect(error.message).toContain(message)
    expect(error.message.length).toBeLessThan(300)
    expect(error.metadata).toEqual({ position: String(position) })
    expect(error.details.badRequest?.map(({ field }) => field)).toEqual(['filter'])
  })
})

describe('a filter on a row', () => {
  const row: object =
    JSON.parse(`{"name": "0", "status": "VM_RUNNING", "labels": {"env": "", "__proto__": "x"}, "cpu": {"count": 4},
    "nics": [{"subnet_id": "a"}, {"subnet_id": "b"}], "create_time": "2026-01-31T12:00:00.000Z"}`)

  it.each<[string, boolean]>([
    ['name:*', true],
    ['labels.env:*', true],
    ['labels:env', true],
    ['labels.env = ""', true],
    ['labels.__proto__ = x', true],
    ['labels.constructor:*', false],
    ['labels.constructor != x', false],
    ['labels:("env" OR "other")', true],
    ['nics.subnet_id:a AND nics.subnet_id:b', true],
    ['nics.subnet_id:"*"', true],
    ['nics.subnet_id:"a*"', true],
    ['nics.subnet_id:c', false],
    ['NOT nics.subnet_id:c', true],
    ['subnets:a AND subnets:b AND subnets:*', true],
    ['subnets:c', false],
    ['cpu.count:*', true],
    ['cpu.count = (-4 OR 5)', false],
    ['cpu.count > (-4 AND 3)', true],
    ['cpu.count < 100000000000000000000', true],
    ['create_time = 2026-01-31T13:00:00+01:00', true],
    ['create_time < 2026-01-31T12:00:00.000000001Z', true],
    ['create_time = 2026-01-31t12:00:00z', true],
    ['create_time = "2026-01-31t13:00:00.000+01:00"', true],
    ['auto_restart = false', true],
    ['status != VM_STOPPED', true],
    ['name = *', true],
    ['name != *', false],
    [String.raw`name = "\*"`, false],
  ])('%s is %s', (text, expected) => expect(verdict(text, vms, row)).toBe(expected))

  it('has no value in an enum that is unset, empty or unspecified', () => {
    expect(verdict('status:*', vms, { status: 'VM_STOPPED' })).toBe(true)
    for (const unset of [{}, { status: '' }, { status: 'VM_STATUS_UNSPECIFIED' }, { status: null }])
      expect(verdict('status:*', vms, unset)).toBe(false)
  })

  it('may have an unusual blank in quotes', () => {
    expect(verdict('name = "a\u00a0b"', vms, { name: 'a\u00a0b' })).toBe(true)
    expect(verdict("name = 'a\\'\u2003b'", vms, { name: "a'\u2003b" })).toBe(true)
  })

  it('never matches through a missing object, whatever the operator', () => {
    for (const operator of ['=', '!=', '<', '>=']) expect(verdict(`cpu.count ${operator} 0`, vms, {})).toBe(false)
  })

  it('matches wildcards without backtracking', () => {
    const text = `name = "${'*a'.repeat(2000)}*b"`
    expect(verdict(text, vms, { name: 'a'.repeat(4000) })).toBe(false)
  })

  it('agrees with a regular expression on wildcards', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(pattern, letters, (wildcards, name) => {
        const expected = new RegExp(`^${wildcards.replaceAll('*', '.*')}$`).test(name)
        expect(verdict(`name = "${wildcards}"`, vms, { name })).toBe(expected)
        expect(verdict(`name != "${wildcards}"`, vms, { name })).toBe(!expected)
      }),
    )
  })
})

function refusalOf(text: string): ApiError {
  try {
    checkFilter(text, vms)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

function verdict(text: string, fields: ListFields, row: object): Verdict {
  try {
    const filter = checkFilter(text, fields)
    return filter === undefined || matches(filter, row)
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'FILTER_INVALID') return 'error'
    throw error
  }
}
