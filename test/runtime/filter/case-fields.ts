import type { Comparator, FilterField, FilterType, ListFields } from '../../../runtime/filter/types.ts'

/** A type in the notation of the AIP cases. */
export type CaseType =
  | string
  | { readonly enum: readonly string[] }
  | { readonly optional: CaseType }
  | { readonly repeated: CaseType }
  | { readonly map: CaseType }
  | { readonly message: CaseSchema }

export type CaseSchema = Readonly<Record<string, CaseType>>

const equality: readonly Comparator[] = ['=', '!=', ':']
const all: readonly Comparator[] = ['=', '!=', '<', '<=', '>', '>=', ':']

const scalars: Readonly<Record<string, FilterType>> = {
  string: 'STRING',
  bool: 'BOOLEAN',
  int32: 'INTEGER',
  uint32: 'INTEGER',
  int64: 'INTEGER',
  uint64: 'INTEGER',
  float: 'NUMBER',
  double: 'NUMBER',
  timestamp: 'TIMESTAMP',
  duration: 'DURATION',
}

/**
 * Returns the fields of a case's schema in the form of list fields. The name of a nested field is dotted, and a list
 * above a field makes the field a list. The keys of a map of messages come from `sample` or `filter`, and the members
 * of a struct from `sample`.
 */
export function caseFields(schema: CaseSchema, sample: object = {}, filter = ''): ListFields {
  const fields = Object.entries(schema).flatMap(([name, type]) => declare(name, type, memberOf(sample, name), filter))
  return { fields, defaultOrder: 'id', key: 'id' }
}

function declare(name: string, type: CaseType, sample: unknown, filter: string): FilterField[] {
  if (type === 'struct') return declareStruct(name, sample)
  if (typeof type === 'string') return [scalar(name, scalars[type] ?? 'STRING')]
  if ('optional' in type) return declare(name, type.optional, sample, filter)
  if ('enum' in type) return [{ ...scalar(name, 'ENUM'), enumValues: type.enum.slice(1) }]
  if ('message' in type) {
    const members = Object.entries(type.message)
    const inner = members.flatMap(([member, of]) => declare(`${name}.${member}`, of, memberOf(sample, member), filter))
    return [presence(name), ...inner]
  }
  if ('repeated' in type) {
    const inner = declare(name, type.repeated, undefined, filter)
    return inner.map(field => (field.type === 'PRESENCE' && field.name === name ? field : { ...field, list: true }))
  }
  const { map: values } = type
  if (typeof values === 'string') return [{ ...map(name), values: scalars[values] ?? 'STRING' }]
  const keys = new Set([...Object.keys(sample ?? {}), ...[...filter.matchAll(/\.(\w+)/g)].map(([, key]) => key ?? '')])
  return [map(name), ...[...keys].flatMap(key => declare(`${name}.${key}`, values, memberOf(sample, key), filter))]
}

function declareStruct(name: string, sample: unknown): FilterField[] {
  const inner = Object.entries(sample ?? {}).flatMap(([member, value]: [string, unknown]): FilterField[] => {
    const path = `${name}.${member}`
    if (Array.isArray(value)) return [{ ...scalar(path, 'STRING'), list: true }]
    if (typeof value === 'object' && value !== null) return declareStruct(path, value)
    if (typeof value === 'number') return [scalar(path, 'NUMBER')]
    return value === null ? [] : [scalar(path, typeof value === 'boolean' ? 'BOOLEAN' : 'STRING')]
  })
  return [map(name), ...inner]
}

const sortable = new Set<FilterType>(['STRING', 'INTEGER', 'NUMBER', 'BOOLEAN', 'ENUM', 'TIMESTAMP', 'DURATION'])

function scalar(name: string, type: FilterType): FilterField {
  const operators = type === 'BOOLEAN' || type === 'ENUM' ? equality : all
  return { name, type, operators, ...(sortable.has(type) ? { sortable: true } : {}) }
}

const presence = (name: string): FilterField => ({ name, type: 'PRESENCE', operators: [':'] })

const map = (name: string): FilterField => ({ name, type: 'MAP', operators: all })

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
