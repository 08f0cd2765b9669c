import { describe, expect, it } from 'vitest'
import { areas, asList, schemasOf } from './documents.ts'
import { itemsOf, readTable } from './tables.ts'

const table = readTable('enums', ['area', 'prefix', 'values'])
const bare = '(bare)'

/** The enums whose zero value is used in responses and requests like every other value (conventions §1). */
const meaningfulZeros = ['OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED', 'VAULT_REVOCATION_REASON_UNSPECIFIED']

describe.each(areas.map(spec => [spec.area, spec] as const))('enums of %s', (area, spec) => {
  const rows = table.filter(row => row.area === area)
  const enums = schemasOf(spec).filter(([, schema]) => schema.enum !== undefined)

  it.each(enums)('%s has the values of the table in their order, the zero value first', (_, schema) => {
    const values = asList(schema.enum).map(String)
    expect(rows.map(row => valuesOf(row.prefix, row.values))).toContainEqual(values)
  })

  it.each(enums)('%s names its zero value', (_, schema) => {
    const [first = ''] = asList(schema.enum).map(String)
    const isZero = first.endsWith('_UNSPECIFIED') && !meaningfulZeros.includes(first)
    expect(schema['x-unspecified']).toBe(isZero ? first : undefined)
  })

  it('are all of the table', () => {
    const found = enums.map(([, schema]) => asList(schema.enum).map(String))
    expect(found).toEqual(expect.arrayContaining(rows.map(row => valuesOf(row.prefix, row.values))))
  })
})

/** Returns the values of an enum in their form on the wire. */
function valuesOf(prefix: string, cell: string): readonly string[] {
  const values = itemsOf(cell)
  if (prefix === bare) return values
  return ['UNSPECIFIED', ...values.filter(value => value !== 'UNSPECIFIED')].map(value => prefix + value)
}
