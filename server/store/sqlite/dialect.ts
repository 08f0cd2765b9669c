import type { Dialect, Direction, UniqueSets } from '../dialect.ts'
import { changedByNewer } from '../schema-generation.ts'
import { sqliteCode, sqliteCodes } from './errors.ts'
import { elementCondition, entryCondition, presentMember } from './filter-json.ts'
import { sqlFunctions } from './functions.ts'

const directed = ({ expression, descending }: Direction): string => (descending ? `${expression} DESC` : expression)

/** The SQL of SQLite. Lists of values are passed as JSON; lists, maps and objects are read from the body. */
export const sqliteDialect: Dialect = {
  types: {
    STRING: 'TEXT',
    ENUM: 'TEXT',
    TIMESTAMP: 'TEXT',
    INTEGER: 'INTEGER',
    BOOLEAN: 'INTEGER',
    NUMBER: 'REAL',
  },
  listColumns: () => [],
  anyOf: (sql, values) => ({
    sql: `${sql} IN (SELECT value FROM json_each(?))`,
    parameters: [JSON.stringify(values)],
  }),
  like: (sql, pieces) => ({
    sql: `${sqlFunctions.like}(json_quote(${sql}), ?)`,
    parameters: [JSON.stringify(pieces)],
  }),
  sortsFixed: false,
  sorted: directed,
  indexed: directed,
  rows: (types, rows) => ({
    sql: `SELECT ${types.map((_, i) => `value ->> ${i}`).join(', ')} FROM json_each(?)`,
    parameters: [JSON.stringify(rows)],
  }),
  row: 'rowid',
  joinEach: (table, each) => ` CROSS JOIN ${table} ON ${table}.rowid IN (${each('rowid')})`,
  joinBy: (table, on) => ` CROSS JOIN ${table} AS node ON ${on}`,
  entry: entryCondition,
  element: elementCondition,
  present: presentMember,
  // `BEGIN IMMEDIATE` locks the store.
  isSingleWriter: true,
  lock: '',
  share: '',
  violated,
}

/**
 * Returns the members of the violated unique set. The error of SQLite names the columns of its index:
 * `UNIQUE constraint failed: table.a, table.b`.
 */
function violated(error: unknown, { collection, indexes }: UniqueSets): readonly string[] | undefined {
  if (sqliteCode(error) !== sqliteCodes.uniqueViolated) return undefined
  const index = indexes.find(({ columns }) => {
    const names = columns?.map(column => `${collection}.${column.slice(1, -1)}`)
    return names !== undefined && String(error).endsWith(`: ${names.join(', ')}`)
  })
  if (index === undefined) throw changedByNewer(error)
  return index.unique
}
