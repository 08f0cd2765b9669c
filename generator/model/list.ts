import { messages } from '../diagnostics.ts'
import { branchesOf } from '../read/branches.ts'
import { typeOf } from '../read/dialect.ts'
import { elements, flag, member, members, positionOf, text, texts } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import { follow } from '../read/resolve.ts'
import { nearest } from '../read/suggest.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Building, BuildSchema } from './building.ts'
import { present } from './present.ts'
import { resourceOf } from './traits.ts'
import type { FilterField, ListTrait } from './types.ts'

const ordered = ['=', '!=', '<', '<=', '>', '>='] as const

/** The operators of a field without `operators`, keyed by the type of the field (conventions §8). */
const defaultOperators: Readonly<Record<string, readonly string[]>> = {
  STRING: [...ordered, ':'],
  ENUM: ['=', '!=', ':'],
  BOOLEAN: ['=', '!='],
  INTEGER: ordered,
  NUMBER: ordered,
  TIMESTAMP: ordered,
  DURATION: ordered,
  MAP: [...ordered, ':'],
  PRESENCE: [':'],
}

/**
 * Builds the list trait of an operation from its `x-filter` and the shape of its response. Returns undefined without
 * `x-filter`. Reports a response without rows and returns undefined.
 */
export function listOf(building: Building, operation: Located, build: BuildSchema): ListTrait | undefined {
  const filter = member(operation, 'x-filter')
  if (!filter) return undefined
  const { loaded, diagnostics } = building
  const rows = rowsOf(loaded, operation)
  const items = rows && member(rows.at, 'items')
  if (!rows || !items) {
    diagnostics.add(messages.listWithoutRows(), positionOf(filter))
    return undefined
  }
  const fields = elements(member(filter, 'fields')).map(field => fieldOf(building, field, items))
  const defaultOrder = text(filter, 'default_order_by') ?? ''
  const order = orderFields(defaultOrder)
  for (const name of order) {
    const isSortable = fields.some(field => field.name === name && field.sortable)
    if (!isSortable) diagnostics.add(messages.filterOrder(name), positionOf(filter))
  }
  const key = propertiesOf(loaded, items).has('id') ? 'id' : (order[0] ?? 'id')
  return { member: rows.name, item: build(items), resource: text(filter, 'schema'), fields, defaultOrder, key }
}

const orderFields = (order: string): readonly string[] =>
  order.split(',').flatMap(part => part.trim().split(/\s+/)[0] || [])

interface Rows {
  readonly name: string
  readonly at: Located
}

/**
 * Returns the list of rows in the 200 response, which must have `next_page_token`: the only array, or the array that
 * has the plural name of its rows' resource. Returns undefined if no array qualifies.
 */
function rowsOf(loaded: Loaded, operation: Located): Rows | undefined {
  const responses = member(operation, 'responses')
  const response = responses && member(responses, '200')
  const [media] = members(response && member(follow(loaded, response) ?? response, 'content'))
  const schema = media && member(media[1], 'schema')
  const properties = schema ? propertiesOf(loaded, schema) : new Map<string, Located>()
  if (!properties.has('next_page_token')) return undefined
  const arrays = [...properties].flatMap(([name, at]) => arrayOf(loaded, name, at))
  if (arrays.length === 1) return arrays[0]
  return arrays.find(({ name, at }) => {
    const items = member(at, 'items')
    const row = items && follow(loaded, items)
    return row !== undefined && resourceOf(row)?.plural === name
  })
}

function arrayOf(loaded: Loaded, name: string, at: Located): readonly Rows[] {
  const target = follow(loaded, at)
  return target && typeOf(target) === 'array' ? [{ name, at: target }] : []
}

/**
 * Returns the properties of a schema and its branches, keyed by name. A property of the schema hides a property of a
 * branch.
 */
function propertiesOf(loaded: Loaded, at: Located): ReadonlyMap<string, Located> {
  const branches = [...branchesOf(loaded, at)].toReversed()
  return new Map(branches.flatMap(branch => members(member(branch, 'properties'))))
}

/**
 * Returns the schema at a field path such as `boot_disk.image`, through objects and the elements of lists; undefined if
 * the path leads nowhere.
 */
function fieldSchema(loaded: Loaded, row: Located, path: string): Located | undefined {
  let at: Located | undefined = row
  for (const name of path.split('.')) {
    const property: Located | undefined = at && propertiesOf(loaded, at).get(name)
    at = property && elementOf(loaded, property)
  }
  return at
}

function elementOf(loaded: Loaded, at: Located): Located | undefined {
  const items = keywordOf(loaded, at, 'items')
  return follow(loaded, items ?? at)
}

/**
 * Returns a keyword of a schema or of one of its branches, because a property often extends a reference by an `allOf`
 * with a single branch.
 */
const keywordOf = (loaded: Loaded, at: Located, keyword: string): Located | undefined =>
  [...branchesOf(loaded, at)].map(branch => member(branch, keyword)).find(found => found !== undefined)

function fieldOf(building: Building, field: Located, row: Located): FilterField {
  const { loaded, diagnostics } = building
  const name = text(field, 'name') ?? ''
  const path = text(field, 'path') ?? name
  const schema = fieldSchema(loaded, row, path)
  if (!schema) {
    const suggestion = nearest(path, [...propertiesOf(loaded, row).keys()])
    diagnostics.add(messages.filterFieldUnknown(path, suggestion), positionOf(field))
  }
  const written = text(field, 'type') ?? ''
  const list = written.endsWith('[]')
  const type = list ? written.slice(0, -2) : written
  const fallback = list ? [':'] : ((Object.hasOwn(defaultOperators, type) ? defaultOperators[type] : undefined) ?? [])
  const choices = type === 'ENUM' ? enumOf(building, field, schema) : undefined
  if (type === 'ENUM' && !choices) {
    diagnostics.add(messages.filterEnumUnknown(text(field, 'enum') ?? name), positionOf(field))
  }
  return {
    name,
    ...(path !== name && { path }),
    type,
    list,
    operators: member(field, 'operators') ? texts(field, 'operators') : fallback,
    sortable: flag(field, 'sortable'),
    ...present({ values: type === 'MAP' && schema ? mapValues(loaded, schema) : undefined }),
    ...present({ enumValues: choices && valuesOf(choices) }),
  }
}

/** The comparison type of the values of a map, keyed by the `type` of their schema. Text needs no entry. */
const valueTypes: Readonly<Record<string, string>> = { integer: 'INTEGER', number: 'NUMBER', boolean: 'BOOLEAN' }

function mapValues(loaded: Loaded, schema: Located): string | undefined {
  const additional = keywordOf(loaded, schema, 'additionalProperties')
  const type = additional && typeOf(follow(loaded, additional))
  return type !== undefined && Object.hasOwn(valueTypes, type) ? valueTypes[type] : undefined
}

/**
 * Returns the enum schema of a field; undefined if there is none. A name is looked up in the field's own file, then in
 * the other entries that the document refers to. Without a name, the field's own schema must be an enum.
 */
function enumOf({ document, loaded }: Building, field: Located, schema: Located | undefined): Located | undefined {
  const name = text(field, 'enum')
  if (name === undefined) return schema && [...branchesOf(loaded, schema)].find(isEnum)
  const reached = loaded.reach.get(document)
  const files = [field.file, ...loaded.entries.map(entry => entry.file).filter(({ file }) => reached?.has(file))]
  for (const file of files) {
    const schemas = member({ file, pointer: '', value: file.root }, 'components')
    const found = schemas && member(schemas, 'schemas')
    const at = found && member(found, name)
    const target = at && follow(loaded, at)
    if (target && isEnum(target)) return target
  }
  return undefined
}

const isEnum = (at: Located): boolean => Array.isArray(own(at.value, 'enum'))

/**
 * Returns the values of an enum in the order of the schema, which is their sort order. The result omits the unspecified
 * value, because responses never contain it.
 */
const valuesOf = (at: Located): readonly string[] => {
  const unspecified = text(at, 'x-unspecified')
  return texts(at, 'enum').filter(value => value !== unspecified)
}
