import { describe, expect, it } from 'vitest'
import { addFormFaults, rulesOf, type FormRule } from '../../runtime/form-rules.ts'
import { Faults } from '../../runtime/validation.ts'

interface Crate {
  readonly ttl?: number
  readonly expire_time?: number
  readonly depth?: number
}

const rule = rulesOf<Crate>()
const both = rule(['ttl', 'expire_time'], ({ expire_time, ttl }) =>
  ttl !== undefined && expire_time !== undefined ? [{ field: 'ttl', description: 'is one too many' }] : [],
)
const future = rule(
  ['expire_time'],
  ({ expire_time = Infinity }, now) => (expire_time > now ? [] : [{ field: 'expire_time', description: 'is past' }]),
  { isOfTime: true },
)

/** Returns the fields of all faults, after the given faults of the schema. */
function fieldsOf(rules: readonly FormRule[], body: Crate, ...known: readonly string[]): readonly string[] {
  const faults = new Faults()
  for (const field of known) faults.add(field, 'is faulty')
  addFormFaults(rules, body, 10, faults)
  return faults.list.map(({ field }) => field)
}

describe('addFormFaults', () => {
  const body = { ttl: 1, expire_time: 1 }

  it('adds the faults of a rule to the faults of the schema', () => {
    expect(fieldsOf([both], body)).toEqual(['ttl'])
    expect(fieldsOf([both], body, 'depth')).toEqual(['depth', 'ttl'])
  })

  it.each(['ttl', 'expire_time', 'expire_time.seconds', 'ttl[0].unit', 'ttl["a.b"]', '', 'body'])(
    'skips a rule that reads a member in which "%s" is faulty',
    field => expect(fieldsOf([both], body, field)).toEqual([field]),
  )

  it('judges a rule about the time beside other faults only', () => {
    expect(fieldsOf([future], body)).toEqual([])
    expect(fieldsOf([future], body, 'depth')).toEqual(['depth', 'expire_time'])
    expect(fieldsOf([future, both], body)).toEqual(['ttl', 'expire_time'])
    expect(fieldsOf([future], { expire_time: 11 }, 'depth')).toEqual(['depth'])
  })

  it('adds nothing to a list of faults that was cut', () => {
    const faults = new Faults()
    for (let i = 0; i < 101; i += 1) faults.add(`depth[${i}]`, 'is faulty')
    addFormFaults([both], body, 10, faults)
    expect(faults.count).toBe(101)
  })
})
