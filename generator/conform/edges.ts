import { formatOf } from './formats.ts'
import type { Json, Schema } from '../model/types.ts'
import { textExample } from './example-text.ts'
import type { Examples } from './example.ts'
import { boundsOf } from './judge.ts'
import { shapeOf } from './shape.ts'

/** A value at a bound, which still fits. */
interface Edge {
  readonly what: string
  readonly value: Json
}

/** Longer texts are not tried. */
const maxText = 100_000

/** The least and the greatest value of a text's length or a number, where the schema bounds them. */
export function edgesOf(schema: Schema, examples: Examples): readonly Edge[] {
  const shape = shapeOf(schema, examples.schemas)
  const edges = shape.kind === 'number' ? numberEdges(shape) : shape.kind === 'string' ? textEdges(shape) : []
  return edges.filter(({ value }) => examples.fits(value, schema, 'input'))
}

function numberEdges(shape: Extract<Schema, { kind: 'number' }>): readonly Edge[] {
  const { low, high } = boundsOf(shape)
  return [low, high].filter(Number.isFinite).map(value => ({ what: String(value), value }))
}

/** Formats that say what a text is for and not how it looks. */
const plainFormats: ReadonlySet<string> = new Set(['password', 'byte', 'binary'])

function textEdges({ format, maxLength, minLength, pattern }: Extract<Schema, { kind: 'string' }>): readonly Edge[] {
  // What has a format of its own no pattern makes: that the longest fits it is not to be had.
  if (format !== undefined && formatOf(format) === undefined && !plainFormats.has(format)) return []
  const lengths = [minLength, maxLength].filter(length => length !== undefined && length <= maxText)
  return lengths.flatMap(length => {
    const rules = { ...(pattern !== undefined && { pattern }), ...(format !== undefined && { format }) }
    const value = length === undefined ? undefined : textExample({ ...rules, minLength: length, maxLength: length })
    return value === undefined ? [] : [{ what: `${length} characters`, value }]
  })
}
