import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { conditionFields } from '../../../../domain/iam/conditions/condition-fields.ts'
import { checkCondition, storedCondition } from '../../../../domain/iam/conditions/conditions.ts'
import { FilterSchemaRecords } from '../../../../domain/resources/filter-schemas.ts'
import { iamFilters } from '../../../../output/iam/filters.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { checkFilter } from '../../../../runtime/filter/check.ts'
import { matches } from '../../../../runtime/filter/evaluate.ts'
import type { Attributes, Verdict } from '../../../../domain/iam/conditions/condition.ts'

const known: Attributes = {
  request: {
    time: '2026-03-04T05:06:07.000Z',
    hour_of_day: 5,
    day_of_week: 3,
    ip: '10.1.2.3',
    permission: 'vault.secrets.get',
  },
  principal: { id: 'p1', kind: 'USER', email: 'kim@corp.example' },
  resource: { type: 'vault.secrets', id: 's1', name: 'ci-token', labels: { env: 'prod', empty: '' } },
}

const verdictOf = (text: string, attributes = known): Verdict => checkCondition(text, 'condition')?.decide(attributes)

describe('a condition about', () => {
  test.each([
    ['request.time > "2026-03-04T00:00:00Z"', true],
    ['request.time < "2026-03-04T05:06:07+01:00"', false],
    ['request.hour_of_day >= 5 AND request.hour_of_day < 6', true],
    ['request.day_of_week = 3', true],
    ['request.ip:"10.0.0.0/8"', true],
    ['request.ip:"10.1.2.3"', true],
    ['request.ip = "10.1.2.4"', false],
    ['request.ip != "192.168.0.0/16"', true],
    ['request.ip:"::ffff:10.0.0.0/104"', true],
    ['request.ip:"2001:db8::/32"', false],
    ['request.ip:*', true],
    ['request.permission = "vault.secrets.*"', true],
    ['principal.id = p1', true],
    ['principal.kind = SERVICE_ACCOUNT', false],
    ['principal.email = "*@corp.example"', true],
    ['resource.type = "vault.secrets"', true],
    ['resource.id = s2', false],
    ['resource.name = "ci-*"', true],
    ['resource.name:"ci-*"', true],
    ['resource.name = "ci-token"', true],
    ['resource.name != "ci-*"', false],
    ['resource.labels.env = prod', true],
    ['resource.labels.none = prod', false],
    ['resource.labels.none != prod', false],
    ['NOT resource.labels.none = prod', true],
    ['resource.labels:empty', true],
    ['resource.labels.env = (test OR prod)', true],
  ])('%s is %s', (text, verdict) => {
    expect(verdictOf(text)).toBe(verdict)
  })

  test.each(['2001:db8::1', '::ffff:10.9.9.9', '10.9.9.9'])('matches the address %s in its range', ip => {
    const attributes = { ...known, request: { ...known.request, ip } }
    expect(verdictOf('request.ip:"10.0.0.0/8" OR request.ip:"2001:db8::/32"', attributes)).toBe(true)
  })

  test('is undecided for a text that is not an address', () => {
    const attributes = { ...known, request: { ...known.request, ip: 'unix:' } }
    expect(verdictOf('request.ip:"10.0.0.0/8"', attributes)).toBeUndefined()
  })
})

describe('a condition is refused', () => {
  const many = (count: number): string => Array.from({ length: count }, () => 'principal.id = a').join(' OR ')
  test.each([
    ['of an unknown attribute', 'request.method = GET'],
    ['with a value of the wrong type', 'request.hour_of_day = noon'],
    ['with an operator that its attribute does not take', 'request.ip > "10.0.0.0"'],
    ['that does not parse', 'principal.id = '],
    ['of a bare word', 'admin'],
    ['of more than 32 comparisons', many(33)],
    [
      'of more than 32 values of one attribute',
      `principal.id = (${Array.from({ length: 33 }, () => 'a').join(' OR ')})`,
    ],
    ['of more than 1024 characters', `principal.id = "${'a'.repeat(1024)}"`],
    ['with an invalid range', 'request.ip:"10.0.0.0/33"'],
    ['with an address of three parts', 'request.ip:"10.0.1"'],
    ['with an octal address', 'request.ip:"010.0.0.1/8"'],
    ['with a wildcard in an address', 'request.ip:"10.*"'],
    ['with a star within a name', 'resource.name = "a*b"'],
    ['with a star before a name', 'resource.name = "*b"'],
    ['with two stars in a name', 'resource.name = "a*b*"'],
    ['of the kind SYSTEM', 'principal.kind = SYSTEM'],
  ])('%s', (_, text) => {
    const caught = fault(() => checkCondition(text, 'statements[1].condition'))
    expect(caught).toMatchObject({ reason: 'CONDITION_INVALID', rpc: 'INVALID_ARGUMENT' })
    expect(caught.details.badRequest).toMatchObject([{ field: 'statements[1].condition' }])
  })

  test.each([
    ['request.hour >= 6', /did you mean "request\.hour_of_day"/],
    ['request.day = 1', /did you mean "request\.day_of_week"/],
    ['weather = fine', /the attributes are request\.time, request\.hour_of_day, .*, resource\.labels$/],
  ])('with a list of the known attributes: %s', (text, told) => {
    expect(fault(() => checkCondition(text, 'condition')).message).toMatch(told)
  })

  test('but is accepted at its limits', () => {
    expect(verdictOf(many(32))).toBe(false)
    expect(verdictOf(`principal.id = "${'a'.repeat(1024 - 17)}"`)).toBe(false)
  })

  test('but may be empty, and is then absent', () => {
    expect(checkCondition('', 'condition')).toBeUndefined()
  })
})

test('a stored condition that cannot be parsed is never decided', () => {
  expect(storedCondition('request.weather = fine')?.decide(known)).toBeUndefined()
})

function fault(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test.each([
  ['principal.id = p1', false],
  ['request.ip:"10.0.0.0/8" OR resource.labels.a = b', true],
  ['NOT resource.name:"a*"', true],
])('%s needs the resource: %s', (text, asks) => {
  expect(checkCondition(text, 'condition')?.asksForResource).toBe(asks)
})

describe('three-valued logic', () => {
  /** Attributes under which the leaves have the listed verdicts. */
  const unknown: Attributes = { ...known, request: { ...known.request, ip: undefined }, resource: undefined }
  const leaves: Readonly<Record<string, Verdict>> = {
    'principal.id = p1': true,
    'principal.id = p2': false,
    'request.ip:"10.0.0.0/8"': undefined,
    'resource.name = x': undefined,
  }
  interface Term {
    readonly text: string
    readonly verdict: Verdict
  }
  const order = (verdict: Verdict): number => (verdict === false ? 0 : verdict === undefined ? 1 : 2)
  const least = (verdicts: readonly Verdict[]): Verdict => verdicts.reduce((a, b) => (order(b) < order(a) ? b : a))
  const negated = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)
  const { term } = fc.letrec<{ term: Term; leaf: Term; not: Term; and: Term; or: Term }>(tie => ({
    term: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('not'), tie('and'), tie('or')),
    leaf: fc.constantFrom(...Object.entries(leaves).map(([text, verdict]) => ({ text, verdict }))),
    not: tie('term').map(({ text, verdict }) => ({ text: `NOT (${text})`, verdict: negated(verdict) })),
    and: fc.array(tie('term'), { minLength: 2, maxLength: 2 }).map(terms => ({
      text: terms.map(({ text }) => `(${text})`).join(' AND '),
      verdict: least(terms.map(({ verdict }) => verdict)),
    })),
    or: fc.array(tie('term'), { minLength: 2, maxLength: 2 }).map(terms => ({
      text: terms.map(({ text }) => `(${text})`).join(' OR '),
      verdict: negated(least(terms.map(({ verdict }) => negated(verdict)))),
    })),
  }))

  test('follows Kleene: false, undecided, true are ordered, and AND is the least of them', () => {
    fc.assert(
      fc.property(term, ({ text, verdict }) => {
        expect(verdictOf(text, unknown)).toBe(verdict)
      }),
    )
  })

  test('keeps every decision that was made without the unknown attributes once they are known', () => {
    fc.assert(
      fc.property(term, ({ text, verdict }) => {
        if (verdict !== undefined) expect(verdictOf(text, known)).toBe(verdict)
      }),
    )
  })
})

test('the attributes are published as a filter schema without an order', async () => {
  const schemas = new FilterSchemaRecords([...iamFilters, conditionFields])
  const schema = await schemas.getFilterSchema({ resource: 'conditions' })
  expect(schema).toMatchObject({ resource: 'conditions', default_order_by: '' })
  expect('fields' in schema ? schema.fields.find(({ name }) => name === 'request.ip') : undefined).toEqual({
    name: 'request.ip',
    type: 'STRING',
    operators: ['=', '!=', ':'],
    sortable: false,
    enum_values: [],
  })
})

/** Texts that sort differently by UTF-16 code units, by code points or as addresses. */
const texts = ['', 'a', 'ab', 'b', 'kim@corp.example', '\ue000', '\u{1f600}', '10.1.2.3', '::1', 'unix:']
const someText = fc.constantFrom(...texts)
const someAttributes: fc.Arbitrary<Attributes> = fc.record({
  request: fc.record({
    time: fc
      .date({ min: new Date('2026-01-01'), max: new Date('2026-01-02'), noInvalidDate: true })
      .map(date => date.toISOString()),
    hour_of_day: fc.integer({ min: 0, max: 23 }),
    day_of_week: fc.integer({ min: 1, max: 7 }),
    ip: someText,
    permission: someText,
  }),
  principal: fc.record({
    id: someText,
    kind: fc.constantFrom('USER' as const, 'SERVICE_ACCOUNT' as const),
    email: someText,
  }),
  resource: fc.record({
    type: someText,
    id: someText,
    name: someText,
    labels: fc.dictionary(fc.constantFrom('env', 'a', '__proto__'), someText),
  }),
})

const quoted = someText.map(text => JSON.stringify(text))
const ordered = fc.constantFrom('=', '!=', '<', '<=', '>', '>=')
const comparison = (name: string, value: fc.Arbitrary<string>, operators = ordered): fc.Arbitrary<string> =>
  fc.tuple(operators, value).map(([operator, operand]) => `${name} ${operator} ${operand}`)
const wild = fc.constantFrom('"*"', '"a*"', '"*b"', '"a*b"', '"*@*.example"')
const someComparison = fc.oneof(
  ...['request.permission', 'principal.id', 'principal.email', 'resource.type', 'resource.id'].flatMap(name => [
    comparison(name, quoted),
    comparison(name, wild, fc.constantFrom('=', '!=')),
    fc.constant(`${name}:*`),
  ]),
  comparison('resource.name', quoted, fc.constantFrom('=', '!=')),
  comparison('resource.labels.env', quoted),
  fc.constantFrom('resource.labels:*', 'resource.labels:env', 'resource.labels.env:*', 'resource.labels.env = "a*"'),
  fc.constantFrom(
    'principal.kind = USER',
    'principal.kind != USER',
    'principal.kind:*',
    'request.ip:*',
    'request.time:*',
  ),
  comparison('request.hour_of_day', fc.integer({ min: -1, max: 24 }).map(String)),
  comparison('request.day_of_week', fc.constantFrom('0', '7', '9223372036854775807')),
  comparison(
    'request.time',
    fc.constantFrom('"2026-01-01T12:00:00Z"', '"2026-01-01T12:00:00.0005Z"', '"2026-01-01T12:00:00+01:00"'),
  ),
)

test('a comparison equals the same filter of a list for known attributes, whatever was compared before', () => {
  fc.assert(
    fc.property(someComparison, fc.array(someAttributes, { minLength: 1, maxLength: 4 }), (text, all) => {
      const condition = checkCondition(text, 'condition')
      const filter = checkFilter(text, conditionFields)
      if (filter === undefined) throw new Error('no filter')
      for (const attributes of [...all, ...all]) expect(condition?.decide(attributes)).toBe(matches(filter, attributes))
    }),
    { numRuns: 2000 },
  )
})

test('a range contains the addresses that agree in its first bits', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(address, address, fc.integer({ min: 0, max: 128 }), (first, ip, length) => {
      const [one, other] = [ipaddr.process(first), ipaddr.process(ip)]
      const bits = Math.min(length, one.kind() === 'ipv4' ? 32 : 128)
      const isMapped = first.includes(':') && one.kind() === 'ipv4'
      const text = `request.ip:"${first}/${isMapped ? bits + 96 : bits}"`
      const attributes = { ...known, request: { ...known.request, ip } }
      expect(verdictOf(text, attributes)).toBe(one.kind() === other.kind() && other.match(one, bits))
    }),
  )
})
