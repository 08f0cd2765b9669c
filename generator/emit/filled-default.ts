import type { Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { heldDefault, type HeldJson } from './int64/values.ts'
import { visible } from './type-expression.ts'

/**
 * Returns the default of a schema with the defaults of its members, as a completed value has them. A default in which a
 * named schema contains itself is filled once, because such a default has no end.
 */
export function filledDefault(schema: Schema, emission: Emission): HeldJson {
  return filled(schema.default ?? null, schema, emission, [])
}

function filled(value: HeldJson, schema: Schema, emission: Emission, within: readonly string[]): HeldJson {
  if (schema.kind === 'ref' && within.includes(schema.target)) return value
  const path = schema.kind === 'ref' ? [...within, schema.target] : within
  const of = resolved(emission, schema)
  if (isList(value)) return of.kind === 'array' ? value.map(item => filled(item, of.items, emission, path)) : value
  if (typeof value !== 'object' || value === null) return heldDefault(value, schema, emission)
  if (of.kind === 'intersection')
    return of.of.reduce<HeldJson>((whole, part) => filled(whole, part, emission, path), value)
  if (of.kind !== 'object') return value
  const members = new Map<string, HeldJson>(Object.entries(value))
  for (const { name, schema: inner } of visible(of.properties, 'input')) {
    const given = members.get(name) ?? inner.default
    if (given !== undefined) members.set(name, filled(given, inner, emission, path))
  }
  return Object.fromEntries(members)
}

const isList = (value: HeldJson): value is readonly HeldJson[] => Array.isArray(value)
