import { formatOf } from './formats.ts'
import type { Json, Schema } from '../model/types.ts'
import { textExample } from './example-text.ts'
import type { Examples } from './example.ts'
import { boundsOf } from './judge.ts'
import { shapeOf } from './shape.ts'

/** A valid value at a bound of its schema. */
interface Edge {
  readonly what: string
  readonly value: Json
}

/** The maximal length of a text of a test in characters. */
const maxText = 100_000

/**
 * Returns the valid values at the bounds of a schema: the shortest and the longest text, or the least and the greatest
 * number. Returns none for other schemas and for absent bounds.
 */
export function edgesOf(schema: Schema, examples: Examples): readonly Edge[] {
  const shape = shapeOf(schema, examples.schemas)
  const edges = shape.kind === 'number' ? numberEdges(shape) : shape.kind === 'string' ? textEdges(shape) : []
  return edges.filter(({ value }) => examples.fits(value, schema, 'input'))
}

function numberEdges(shape: Extract<Schema, { kind: 'number' }>): readonly Edge[] {
  const { low, high } = boundsOf(shape)
  return [low, high].filter(Number.isFinite).map(value => ({ what: String(value), value }))
}

/**
 * Formats that only name the purpose of a text, so that every text fits the format unless `formatOf` has rules for the
 * format.
 */
const plainFormats: ReadonlySet<string> = new Set(['password', 'byte', 'binary'])

function textEdges({ format, maxLength, minLength, pattern }: Extract<Schema, { kind: 'string' }>): readonly Edge[] {
  // For an unknown format, no generated text of the bound's length is sure to be valid.
  if (format !== undefined && formatOf(format) === undefined && !plainFormats.has(format)) return []
  const lengths = [minLength, maxLength].filter(length => length !== undefined && length <= maxText)
  return lengths.flatMap(length => {
    const rules = { ...(pattern !== undefined && { pattern }), ...(format !== undefined && { format }) }
    const value = length === undefined ? undefined : textExample({ ...rules, minLength: length, maxLength: length })
    return value === undefined ? [] : [{ what: `${length} characters`, value }]
  })
}
