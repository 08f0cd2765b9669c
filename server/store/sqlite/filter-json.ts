import { pathOf } from '../../../runtime/filter/fields.ts'
import type { FilterField, FilterType } from '../../../runtime/filter/types.ts'
import { ownColumns, quoteName, quoteText } from '../columns.ts'
import type { Dialect, ValueTest } from '../dialect.ts'
import { sqlFunctions } from './functions.ts'
import type { SqlCondition } from '../condition.ts'
import { all } from '../keyset.ts'

/** The type names of `json_each`, keyed by the type of the field; absent: `text`. */
const typesInJson: Readonly<Partial<Record<FilterType, readonly string[]>>> = {
  INTEGER: ['integer', 'real'],
  NUMBER: ['integer', 'real'],
  BOOLEAN: ['true', 'false'],
}

/** Returns the path of a member in the form of SQLite's JSON functions. */
const jsonPath = (path: readonly string[]): string => `$${path.map(name => `.${quoteName(name)}`).join('')}`

/** Returns the condition of `Dialect.entry`, which reads the body. */
export const entryCondition: Dialect['entry'] = (field, key, value) => {
  const path = quoteText(jsonPath(pathOf(field)))
  const terms: SqlCondition[] = [{ sql: `typeof(entry.key) = 'text'`, parameters: [] }]
  if (key !== undefined) terms.push({ sql: `entry.type <> 'null' AND entry.key = ?`, parameters: [key] })
  if (value !== undefined) terms.push(fitting('entry', value.type, value.test))
  const exact = exists([`json_each(${ownColumns.body}, ${path}) AS entry`], terms)
  return key !== undefined && plainKey.test(key)
    ? all([possible(`${jsonPath(pathOf(field))}.${quoteName(key)}`, value?.text), exact])
    : exact
}

/** The keys that are the same text in JSON and in a path of SQLite. */
const plainKey = /^[ !#-[\]-~]+$/

/**
 * Returns a condition that all rows with an entry at a path fulfil, and with this text if it is given. The condition
 * costs a third of the exact condition, and spares it in most rows.
 */
const possible = (path: string, text: string | undefined): SqlCondition =>
  text === undefined
    ? { sql: `${ownColumns.body} -> ? IS NOT NULL`, parameters: [path] }
    : { sql: `${ownColumns.body} ->> ? = ?`, parameters: [path, text] }

/** Returns the condition of `Dialect.element`, which reads the body. */
export function elementCondition(field: FilterField, test: ValueTest): SqlCondition {
  const names = pathOf(field)
  return exists(stepsOf(names), [fitting(rowOf(names), field.type, test)])
}

/** Returns the condition that a member is set: no empty text or list, not zero, not false. */
export function presentMember(field: FilterField): SqlCondition {
  const names = pathOf(field)
  const parents = names.slice(0, -1)
  const object = parents.length === 0 ? ownColumns.body : `${rowOf(parents)}.value`
  const isObject = parents.length === 0 ? [] : [{ sql: `${rowOf(parents)}.type = 'object'`, parameters: [] }]
  const present = { sql: presentCase(object, jsonPath(names.slice(-1))), parameters: [] }
  return parents.length === 0 ? present : exists(stepsOf(parents), [...isObject, present])
}

const rowOf = (names: readonly string[]): string => `step${names.length - 1}`

/** Returns one `json_each` for each name, over the result of the previous one. */
function stepsOf(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const isFirst = i === 0
    const object = isFirst ? ownColumns.body : `step${i - 1}.value`
    const type = isFirst ? `'object'` : `step${i - 1}.type`
    return `json_each(${elementsOf(object, type, name)}) AS step${i}`
  })
}

/**
 * Returns the SQL of the member `name` of an object as a list: the list itself, or a list of the single value; empty
 * for an unset member.
 */
function elementsOf(object: string, type: string, name: string): string {
  const member = `${object} -> ${quoteText(jsonPath([name]))}`
  return `CASE WHEN ${type} <> 'object' THEN '[]' ELSE CASE json_type(${member}) WHEN 'array' THEN ${member} WHEN 'null' THEN '[]' ELSE coalesce(json_array(json(${member})), '[]') END END`
}

function presentCase(object: string, path: string): string {
  const at = quoteText(path)
  const value = `${object} ->> ${at}`
  return `CASE json_type(${object}, ${at}) WHEN 'object' THEN 1 WHEN 'true' THEN 1 WHEN 'array' THEN json_array_length(${object}, ${at}) > 0 WHEN 'text' THEN ${value} <> '' WHEN 'integer' THEN ${value} <> 0 WHEN 'real' THEN ${value} <> 0 ELSE 0 END`
}

/**
 * Returns the condition that the value of a row has a type and passes a test. In a body, a timestamp may have any form,
 * and an integer is no text.
 */
function fitting(row: string, type: FilterType, test: ValueTest): SqlCondition {
  const value = type === 'TIMESTAMP' ? `${sqlFunctions.timestamp}(${row}.value)` : `${row}.value`
  const types = (typesInJson[type] ?? ['text']).map(quoteText).join(', ')
  const { sql, parameters } = test(value)
  return { sql: `${row}.type IN (${types}) AND (${sql})`, parameters }
}

function exists(sources: readonly string[], terms: readonly SqlCondition[]): SqlCondition {
  return {
    sql: `EXISTS (SELECT 1 FROM ${sources.join(', ')} WHERE ${terms.map(({ sql }) => `(${sql})`).join(' AND ')})`,
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
}
