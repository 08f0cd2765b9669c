import type { Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'

/**
 * Returns the members of the options of `eventStream`: `isText: true` if the data of events is text, and `isWhole:
 * true` if the items are whole events.
 */
export function eventForm(schema: Schema, emission: Emission): readonly string[] {
  const of = resolved(emission, schema)
  const branches = of.kind === 'union' ? of.of.map(each => resolved(emission, each)) : [of]
  const data = branches.map(branch => dataOf(branch))
  const isWhole = data.every(each => each !== undefined)
  const isText = (isWhole ? data : branches).every(each => each && isTextual(resolved(emission, each)))
  return [...(isText ? ['isText: true'] : []), ...(isWhole ? ['isWhole: true'] : [])]
}

/** Returns the schema of the data of events, which is JSON unless the data is text. */
export function eventData(schema: Schema, emission: Emission): Schema {
  const of = resolved(emission, schema)
  const branches = of.kind === 'union' ? of.of.map(each => resolved(emission, each)) : [of]
  const data = branches.flatMap(branch => dataOf(branch) ?? [])
  if (data.length < branches.length) return schema
  return { kind: 'union', exactlyOne: false, of: data, position: schema.position }
}

const eventMembers: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry'])

/**
 * Returns the schema of the data in a schema for whole events. A schema for whole events has `data`, and no member that
 * an event cannot have. Returns undefined for another schema.
 */
function dataOf(schema: Schema): Schema | undefined {
  if (schema.kind !== 'object' || schema.properties.some(({ name }) => !eventMembers.has(name))) return undefined
  return schema.properties.find(({ name }) => name === 'data')?.schema
}

const isTextual = (schema: Schema): boolean =>
  schema.kind === 'string' || (schema.kind === 'enum' && schema.values.every(value => typeof value === 'string'))
