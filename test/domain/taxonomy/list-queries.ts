import fc from 'fast-check'
import type { FilterField, FilterType, ListFields } from '../../../runtime/filter/types.ts'
import { isRecord, own } from '../../../runtime/validation.ts'

const quoted = (text: string): string => JSON.stringify(text)

/** Returns the values of a field in a row; for a list, the values in its elements. */
function valuesIn(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(element => valuesIn(element, path))
  const [name, ...rest] = path
  if (name === undefined) return value === undefined ? [] : [value]
  return isRecord(value) ? valuesIn(own(value, name), rest) : []
}

/**
 * Returns literals for comparisons with a field: the values of the field in all rows, and fixed literals of the field's
 * type.
 */
function literalsOf(field: FilterField, rows: readonly object[]): readonly string[] {
  const found = rows.flatMap(row => valuesIn(row, field.name.split('.')))
  const others: Readonly<Partial<Record<FilterType, readonly string[]>>> = {
    STRING: [quoted(''), quoted('nobody'), quoted('*'), quoted('*e*'), quoted('w*1')],
    ENUM: field.enumValues ?? [],
    INTEGER: ['0', '1', '3', '99999999999999999999'],
    TIMESTAMP: ['1999-01-01T00:00:00Z', '2999-01-01T00:00:00+02:00'],
  }
  const written = field.type === 'STRING' ? found.map(value => quoted(String(value))) : found.map(String)
  return [...new Set([...(others[field.type] ?? []), ...written])]
}

function conditionOn(field: FilterField, rows: readonly object[]): fc.Arbitrary<string> {
  const operators = fc.constantFrom(...field.operators)
  const present = fc.constant(`${field.name}:*`)
  if (field.type === 'MAP') {
    const keys = fc.constantFrom(`${field.name}.env`, `${field.name}.tier`, `${field.name}.nobody`)
    const values = fc.constantFrom('""', '"prod"', '"d*"')
    const compared = fc.tuple(keys, operators, values).map(parts => parts.join(' '))
    return fc.oneof(
      present,
      keys.map(key => `${key}:*`),
      compared,
    )
  }
  const compared = fc.tuple(operators, fc.constantFrom(...literalsOf(field, rows)))
  // Wildcards are allowed with equality only.
  const allowed = compared.filter(([operator, value]) => !value.includes('*') || !/[<>]/.test(operator))
  return fc.oneof(
    { arbitrary: allowed.map(([operator, value]) => `${field.name} ${operator} ${value}`), weight: 5 },
    { arbitrary: present, weight: 1 },
  )
}

/** Generates filters over all fields that a list declares, with values of `rows` and fixed values. */
export function filterTexts({ fields }: ListFields, rows: readonly object[]): fc.Arbitrary<string> {
  const conditions = fields.filter(({ operators }) => operators.length > 0).map(field => conditionOn(field, rows))
  return fc.letrec<{ filter: string }>(tie => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(...conditions),
      tie('filter').map(term => `NOT (${term})`),
      fc
        .tuple(fc.constantFrom(' AND ', ' OR '), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
        .map(([word, terms]) => `(${terms.join(word)})`),
    ),
  })).filter
}

/** Generates orders by one to three of the fields that a list declares sortable. */
export function orderTexts({ fields }: ListFields): fc.Arbitrary<string> {
  const names = fields.filter(({ sortable }) => sortable).map(({ name }) => name)
  return fc
    .tuple(
      fc.shuffledSubarray(names, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom('', ' asc', ' desc'), { minLength: 3, maxLength: 3 }),
    )
    .map(([chosen, directions]) => chosen.map((name, i) => `${name}${directions[i] ?? ''}`).join(','))
}
