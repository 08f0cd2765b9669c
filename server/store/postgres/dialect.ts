import type { FilterType } from '../../../runtime/filter/types.ts'
import { encode, ownColumns, quoteName, type ColumnType } from '../columns.ts'
import type { Dialect, Direction, UniqueSets } from '../dialect.ts'
import { changedByNewer } from '../schema-generation.ts'
import { violatedIndex } from './errors.ts'
import { arrayType, collation, columnTypes, listColumns, presenceName } from './list-columns.ts'
import { arrayLiteral, escapeJson, likePattern } from './text.ts'
import type { SqlCondition } from '../condition.ts'
import { all } from '../keyset.ts'

/** Returns the SQL that converts a value inside JSON; its result is NULL for a value of another type. */
type ReadJson = (value: string) => string

const textOf: ReadJson = value => `CASE jsonb_typeof(${value}) WHEN 'string' THEN ${value} #>> '{}' END COLLATE "C"`
const numberOf: ReadJson = value => `CASE jsonb_typeof(${value}) WHEN 'number' THEN (${value} #>> '{}')::numeric END`

const readJson: Readonly<Partial<Record<FilterType, ReadJson>>> = {
  INTEGER: numberOf,
  NUMBER: numberOf,
  BOOLEAN: numberOf,
}

/** Returns a key of ORDER BY. By default, PostgreSQL sorts NULL last in ascending order. */
function sorted({ expression, descending, isNullable }: Direction): string {
  if (!isNullable) return descending ? `${expression} DESC` : expression
  return descending ? `${expression} DESC NULLS LAST` : `${expression} NULLS FIRST`
}

/** Returns a SELECT of rows. The values of each column are passed as an array. */
function rows(types: readonly ColumnType[], values: readonly (readonly unknown[])[]): SqlCondition {
  const columns = types.map((type, i) => ({ type, name: `"_column_${i}"` }))
  const selected = columns.map(({ name, type }) => (columnTypes[type].endsWith(collation) ? name + collation : name))
  const made = columns.map(({ name }) => name).join(', ')
  return {
    sql: `SELECT ${selected.join(', ')} FROM unnest(${types.map(type => `?::${arrayType(type)}`).join(', ')}) AS made (${made})`,
    parameters: columns.map((column, i) => arrayLiteral(values.map(row => encode(column, row[i])))),
  }
}

/** The SQL of PostgreSQL. Lists of values are passed as arrays; lists, maps and objects have columns of their own. */
export const postgresDialect: Dialect = {
  types: columnTypes,
  listColumns,
  anyOf: (sql, values) => ({ sql: `${sql} = ANY (?)`, parameters: [arrayLiteral(values)] }),
  like: (sql, pieces) => ({ sql: `${sql} LIKE ?`, parameters: [likePattern(pieces)] }),
  sortsFixed: true,
  sorted,
  indexed: term => sorted({ ...term, expression: `(${term.expression})` }),
  rows,
  row: ownColumns.key,
  joinEach: (table, each) => ` CROSS JOIN LATERAL (${each('*')}) AS ${table}`,
  // PostgreSQL does not flatten a SELECT with an OFFSET, so it cannot read the whole table instead.
  joinBy: (table, on) => ` CROSS JOIN LATERAL (SELECT * FROM ${table} AS node WHERE ${on} OFFSET 0) AS node`,
  entry(field, key, value) {
    const map = quoteName(field.name)
    if (key === undefined) return { sql: `${map} <> '{}'`, parameters: [] }
    if (value === undefined) return { sql: `jsonb_typeof(${map} -> ?::text) <> 'null'`, parameters: [key] }
    const test = value.test((readJson[value.type] ?? textOf)('entry.value'))
    const exact = exists(`(SELECT ${map} -> ?::text AS value) AS entry`, [key], test)
    if (value.text === undefined) return exact
    // The containment has an index, and is cheaper than the exact condition without an index too.
    return all([{ sql: `${map} @> ?::jsonb`, parameters: [escapeJson(JSON.stringify({ [key]: value.text }))] }, exact])
  },
  // By default, new entries wait in a list, which every search reads, until the next vacuum.
  mapIndex: ({ name }) => `USING gin (${quoteName(name)} jsonb_path_ops) WITH (fastupdate = off)`,
  element: (field, test) => exists(`unnest(${quoteName(field.name)}) AS element (value)`, [], test('element.value')),
  present: field => ({ sql: `${presenceName(field)} = 1`, parameters: [] }),
  isSingleWriter: false,
  lock: ' FOR UPDATE',
  share: ' FOR SHARE',
  violated,
}

function exists(source: string, parameters: SqlCondition['parameters'], test: SqlCondition): SqlCondition {
  return {
    sql: `EXISTS (SELECT 1 FROM ${source} WHERE ${test.sql})`,
    parameters: [...parameters, ...test.parameters],
  }
}

/** Returns the members of the violated unique set. The error of PostgreSQL names the index of the set. */
function violated(error: unknown, { indexes }: UniqueSets): readonly string[] | undefined {
  const violated = violatedIndex(error)
  if (violated === undefined) return undefined
  const index = indexes.find(({ name }) => name === violated)
  if (index === undefined) throw changedByNewer(error)
  return index.unique
}
