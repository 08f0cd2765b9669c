import { describe, expect, it } from 'vitest'
import { answerOf, areas, asList, asNode, nodeAt, operationsOf, resolve } from './documents.ts'
import type { Node, Operation, Target } from './documents.ts'
import { itemsOf, readTable } from './tables.ts'

const table = readTable('lists', [
  'area',
  'operationId',
  'member',
  'item',
  'schema_resource',
  'filterable',
  'sortable',
  'default_order',
])

const six = ['=', '!=', '<', '<=', '>', '>=']
/** The operators of a field that declares no operators, keyed by the type of the field (conventions §8). */
const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  STRING: [...six, ':'],
  INTEGER: [...six, ':'],
  TIMESTAMP: [...six, ':'],
  ENUM: ['=', '!=', ':'],
  BOOLEAN: ['=', '!=', ':'],
  MAP: [...six, ':'],
  PRESENCE: [':'],
}

const lists = areas.flatMap(spec => operationsOf(spec).filter(({ node }) => node['x-filter'] !== undefined))

describe.each(areas.map(spec => [spec.area, spec] as const))('lists of %s', (area, spec) => {
  it('are the list operations of the table', () => {
    const listed = table.filter(row => row.area === area).map(row => row.operationId)
    const ids = operationsOf(spec)
      .map(({ id }) => id)
      .filter(id => listed.includes(id))
    const found = lists.filter(list => list.spec.area === area).map(({ id }) => id)
    expect(found).toEqual(ids)
  })
})

describe.each(lists.map(list => [list.spec.area, list.id, list] as const))('%s.%s', (area, id, list) => {
  const row = table.find(each => each.area === area && each.operationId === id)
  const filter = nodeAt(list.node, 'x-filter')
  const fields = asList(filter.fields).map(asNode)
  const [member, rows] = rowsOf(list)

  it('has the member, rows, filter schema, fields and default order of the table', () => {
    expect({
      member,
      item: rows.name,
      schema: filter.schema ?? '-',
      filterable: fields.filter(isFilterable).map(field => `${String(field.name)}:${String(field.type)}`),
      sortable: fields
        .filter(field => field.sortable === true)
        .map(field => field.name)
        .toSorted(),
      order: filter.default_order_by,
    }).toEqual({
      member: row?.member,
      item: row?.item,
      schema: row?.schema_resource,
      filterable: itemsOf(row?.filterable ?? ''),
      sortable: itemsOf(row?.sortable ?? '').toSorted(),
      order: row?.default_order,
    })
  })

  it.each(fields.map(field => [String(field.name), field] as const))(
    'can return the fields by which %s filters',
    (name, field) => {
      const property = propertyAt(rows, String(field.path ?? name).split('.'))
      const type = String(field.type).replace('[]', '')
      const operators = asList(field.operators).map(String)
      expect(operators.filter(operator => !operatorsOf[type]?.includes(operator))).toEqual([])
      expect(type === 'ENUM').toBe(property.node.enum !== undefined)
      expect(field.enum).toBe(type === 'ENUM' ? property.name : undefined)
      expect(typesOf[type]).toContain(property.node.format ?? property.node.type)
    },
  )
})

it('sort only by numbers that every row has, so that no store needs to tell 0 from an unset number', () => {
  const found = lists.flatMap(list => {
    const [, rows] = rowsOf(list)
    return asList(nodeAt(list.node, 'x-filter').fields)
      .map(asNode)
      .filter(({ sortable, type }) => sortable === true && type === 'INTEGER')
      .map(field => [list, String(field.path ?? field.name).split('.'), rows] as const)
  })
  expect(found.length).toBeGreaterThan(10)
  const optional = found.filter(([, path, rows]) => !isRequired(rows, path))
  expect(optional.map(([list, path]) => `${list.id} ${path.join('.')}`)).toEqual([])
})

/** Whether every object at a path of a row has the last member of the path: it is required, or has a default. */
function isRequired(row: Target, path: readonly string[]): boolean {
  const parent = path.length === 1 ? row : propertyAt(row, path.slice(0, -1))
  return asList(parent.node.required).includes(path.at(-1)) || propertyAt(row, path).node.default !== undefined
}

/** The allowed formats, or types without a format, in the schema of a row, keyed by the type of the field. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  STRING: ['string', 'uuid', 'email', 'ipv4'],
  INTEGER: ['int32', 'int64'],
  TIMESTAMP: ['date-time'],
  ENUM: ['string'],
  BOOLEAN: ['boolean'],
  MAP: ['object'],
  PRESENCE: ['object', 'array'],
}

function isFilterable(field: Node): boolean {
  return field.operators === undefined || asList(field.operators).length > 0
}

/** Returns the member of a list's response that contains the rows, and the schema of a row. */
function rowsOf(list: Operation): readonly [member: string, row: Target] {
  const answer = answerOf(list)
  const entry = Object.entries(nodeAt(answer.node, 'properties')).find(([, schema]) => asNode(schema).type === 'array')
  if (entry === undefined) throw new Error(`${list.id} answers no rows`)
  return [entry[0], resolve(answer.spec, asNode(entry[1]).items)]
}

/** Returns the schema of a field of a row; for a list, the schema of its elements. */
function propertyAt(row: Target, [first, ...rest]: readonly string[]): Target {
  const found = resolve(row.spec, nodeAt(row.node, 'properties')[first ?? ''])
  const element = found.node.type === 'array' ? resolve(found.spec, found.node.items) : found
  return rest.length === 0 ? element : propertyAt(element, rest)
}
