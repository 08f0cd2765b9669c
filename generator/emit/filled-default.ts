import type { Json, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { visible } from './type-expression.ts'

/**
 * Returns the default of a schema with the defaults of its members, as a completed value has them. A default in which a
 * named schema contains itself is filled once, because such a default has no end.
 */
export function filledDefault(schema: Schema, emission: Emission): Json {
  return filled(schema.default ?? null, schema, emission, [])
}

function filled(value: Json, schema: Schema, emission: Emission, within: readonly string[]): Json {
  if (schema.kind === 'ref' && within.includes(schema.target)) return value
  const path = schema.kind === 'ref' ? [...within, schema.target] : within
  const of = resolved(emission, schema)
  if (isList(value)) return of.kind === 'array' ? value.map(item => filled(item, of.items, emission, path)) : value
  if (typeof value !== 'object' || value === null) return value
  if (of.kind === 'intersection') return of.of.reduce<Json>((whole, part) => filled(whole, part, emission, path), value)
  if (of.kind !== 'object') return value
  const members = new Map<string, Json>(Object.entries(value))
  for (const { name, schema: inner } of visible(of.properties, 'input')) {
    const given = members.get(name) ?? inner.default
    if (given !== undefined) members.set(name, filled(given, inner, emission, path))
  }
  return Object.fromEntries(members)
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
