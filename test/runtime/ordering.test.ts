import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../runtime/errors.ts'
import type { ListFields } from '../../runtime/filter/types.ts'
import { compareText } from '../../runtime/filter/fields.ts'
import { checkOrder, compareRows, parseOrder, sortKeys } from '../../runtime/ordering.ts'
import { aipCases, unknownIds, type AipCase } from './aip-cases.ts'
import { caseFields, type CaseSchema } from './filter/case-fields.ts'

interface OrderCase extends AipCase {
  readonly kind: 'parse' | 'validate' | 'sort'
  readonly input: string
  readonly valid?: boolean
  readonly fields?: readonly { readonly path: string; readonly desc: boolean }[]
  readonly items?: readonly { readonly id: string }[]
  readonly expected?: readonly string[]
}

const cases = aipCases<OrderCase>('order-by')

/** The cases that are decided differently, with the order and its reason, keyed by the id of the case. */
const different: Readonly<Record<string, readonly [expected: readonly string[], reason: string]>> = {
  'ob-089': [['b', 'c', 'a'], 'every unset value sorts first ascending (conventions §8), numbers too'],
}

const schema: CaseSchema = {
  id: 'string',
  zone: 'string',
  cores: 'int32',
  size_gb: 'int64',
  load: 'double',
  on: 'bool',
  state: { enum: ['STATE_UNSPECIFIED', 'CREATING', 'RUNNING', 'STOPPED'] },
  create_time: 'timestamp',
  ttl: 'duration',
  tags: { repeated: 'string' },
  labels: { map: 'string' },
  priority: { optional: 'int32' },
  owner: { message: { id: 'string', rank: 'int32' } },
  disks: { repeated: { message: { size_gb: 'int64' } } },
}
const list = caseFields(schema)
const sortableList: ListFields = {
  ...list,
  fields: list.fields.map(({ sortable, ...field }) => (sortable && !field.list ? { ...field, sortable } : field)),
}

describe('an order_by of the cases', () => {
  const ofKind = (kind: OrderCase['kind']): readonly OrderCase[] => cases.filter(each => each.kind === kind)

  it.each(ofKind('parse'))('$id is parsed, or refused, as expected: $input', ({ input, valid, fields }) => {
    if (!valid) expect(reasonOf(() => parseOrder(input))).toBe('ORDER_BY_INVALID order_by')
    else expect(parseOrder(input)).toEqual(fields?.map(({ path, desc }) => ({ path, descending: desc })))
  })

  it.each(ofKind('validate'))('$id matches the fields of a list, or not: $input', ({ input, valid }) => {
    const reason = reasonOf(() => checkOrder(input, sortableList))
    expect(reason).toBe(valid ? undefined : 'ORDER_BY_INVALID order_by')
  })

  it.each(ofKind('sort'))('$id sorts as expected: $input', ({ id, input, items = [], expected }) => {
    const order = checkOrder(input, sortableList)
    expect(items.toSorted((a, b) => compareRows(order, a, b)).map(({ id }) => id)).toEqual(
      different[id]?.[0] ?? expected,
    )
  })

  it('is looked up in tables of existing cases', () => expect(unknownIds(different, cases)).toEqual([]))

  it('are all covered', () =>
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['parse', 'validate', 'sort'])))
})

describe('the order of a list call', () => {
  const vms: ListFields = {
    fields: [
      { name: 'name', type: 'STRING', operators: ['='], sortable: true },
      { name: 'create_time', type: 'TIMESTAMP', operators: ['='], sortable: true },
      { name: 'zone', type: 'STRING', operators: ['='] },
    ],
    defaultOrder: 'create_time desc',
    key: 'id',
  }
  const shown = (text: string | undefined, of = vms): string[] =>
    checkOrder(text, of).map(({ field, descending }) => `${field.name}${descending ? ' desc' : ''}`)

  it('is the default without order_by, and the key is the last sort key, ascending', () => {
    expect(shown(undefined)).toEqual(['create_time desc', 'id'])
    expect(shown('  ')).toEqual(['create_time desc', 'id'])
    expect(shown('name desc')).toEqual(['name desc', 'id'])
    expect(checkOrder('', vms)).toBe(checkOrder(undefined, vms))
  })

  it('ends with the key in its direction, wherever the order names the key', () => {
    expect(shown('', { ...vms, key: 'version', defaultOrder: 'version desc' })).toEqual(['version desc'])
    expect(
      shown('create_time, name desc, zone', { ...vms, key: 'name', fields: [...vms.fields, ...sortableList.fields] }),
    ).toEqual(['create_time', 'name desc'])
  })

  it.each([
    ['nmae', 'order_by: unknown field "nmae" (did you mean "name"?)'],
    ['zone', 'order_by: cannot sort by "zone"; use name, create_time'],
    ['name, name desc', 'order_by: a field is named twice'],
    ['name DESC', 'order_by: "name DESC": only asc or desc may follow a field'],
    ['id', 'order_by: unknown field "id"'],
    ['__proto__', 'order_by: unknown field "__proto__"'],
    ['name\u00a0desc', 'order_by: the no-break space U+00A0 is no space; write an ordinary space (position 4)'],
    ['name,\u2003zone', 'order_by: the character U+2003 is no space; write an ordinary space (position 5)'],
  ])('%s is refused: %s', (text, message) => expect(() => checkOrder(text, vms)).toThrow(message))

  it('is total, and only rows with equal keys are equal', () => {
    const order = checkOrder('zone desc, cores, state, create_time', sortableList)
    const row = fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c'),
        zone: fc.constantFrom('', '😀', '～', 'x'),
        cores: fc.integer({ min: -1, max: 1 }),
        state: fc.constantFrom('CREATING', 'STOPPED', 'STATE_UNSPECIFIED'),
        create_time: fc.constantFrom(
          '2025-01-01T00:00:00Z',
          '2025-01-01T01:00:00+01:00',
          '2025-01-01T00:00:00.000000001Z',
        ),
      },
      { requiredKeys: ['id'] },
    )
    fc.assert(
      fc.property(row, row, row, (a, b, c) => {
        expect(Math.sign(compareRows(order, a, b)) + Math.sign(compareRows(order, b, a))).toBe(0)
        if (compareRows(order, a, b) <= 0 && compareRows(order, b, c) <= 0)
          expect(compareRows(order, a, c)).toBeLessThanOrEqual(0)
        if (compareRows(order, a, b) === 0) expect(a.id).toBe(b.id)
      }),
    )
  })

  it('produces sort keys that conventions §8 define', () => {
    const order = checkOrder('create_time, state, zone, cores, on, owner.rank, size_gb', sortableList)
    expect(sortKeys(order, { id: '1' })).toEqual([null, null, '', null, false, null, null, '1'])
    const row = { id: '1', create_time: '2025-01-01T00:30:00+01:00', state: 'RUNNING', owner: {}, size_gb: '12' }
    expect(sortKeys(order, row)).toEqual(['2024-12-31T23:30:00.000000000Z', 'RUNNING', '', null, false, null, 12, '1'])
    expect(sortKeys(order, { id: '1', state: 'STATE_UNSPECIFIED', cores: 0, size_gb: '0' })).toEqual(
      sortKeys(order, { id: '1', cores: 0, size_gb: 0 }),
    )
  })
})

describe('texts', () => {
  it('are ordered by their UTF-8 bytes', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '～', '😀'),
        fc.string({ maxLength: 1, unit: 'binary' }),
      ),
    })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compareText(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })
})

function reasonOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.reason} ${error.details.badRequest?.map(({ field }) => field).join()}`
  }
}
