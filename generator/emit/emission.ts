import {
  mainBranch,
  type Content,
  type Document,
  type Model,
  type NamedSchema,
  type Property,
  type Schema,
} from '../model/types.ts'
import type { EmitOptions } from '../options.ts'
import { type Completions, completionsOf } from './completion.ts'
import { OutputFile } from './file.ts'
import { declared, type Part } from './declared.ts'

/** The data that the emitters of a document's files share. */
export interface Emission {
  readonly document: Document
  readonly options: EmitOptions
  readonly schemas: ReadonlyMap<string, NamedSchema>
  readonly completions: Completions
  readonly taken: ReadonlySet<string>
  /** The properties of any type that intersections join with other properties. */
  readonly shared: ReadonlySet<Property>
  /** The JSON contents of successes that contain integers beyond 2^53. */
  readonly exact: ReadonlySet<Content>
  /** The ids of the schemas that contain 64-bit integers which are not held as numbers. */
  readonly held: ReadonlySet<string>
  /** The ids of the schemas whose answers are checked; if absent, all answers are checked. */
  readonly checkedAnswers?: ReadonlySet<string>
}

/** Prepares the emission of each document of a model; the index of schemas is shared. */
export function emissions(model: Model, options: EmitOptions): readonly Emission[] {
  const schemas = new Map(model.documents.flatMap(({ schemas }) => schemas.map(schema => [schema.id, schema] as const)))
  const completions = completionsOf(schemas)
  const held: ReadonlySet<string> = options.int64 ? model.int64s : new Set()
  return model.documents.map(document => ({
    document,
    options,
    schemas,
    completions,
    taken: declared(document),
    shared: model.shared,
    exact: model.exact,
    held,
  }))
}

export const openFile = ({ document, taken, options }: Emission, part: Part): OutputFile =>
  new OutputFile(document, part, taken, options)

/**
 * Returns the schema with an id. Throws an `Error` for an unknown id, which is a defect: the model has no dangling
 * references.
 */
export function schemaOf(emission: Emission, id: string): NamedSchema {
  const schema = emission.schemas.get(id)
  if (!schema) throw new Error(`the model has no schema ${id}`)
  return schema
}

/**
 * Follows references to the final schema, and replaces an intersection of one schema with negated schemas by that one.
 * The reader refuses cycles of references, so the loop ends.
 */
export function resolved(emission: Emission, schema: Schema): Schema {
  let current = schema
  for (let next = insideOf(emission, schema); next; next = insideOf(emission, next)) current = next
  return current
}

function insideOf(emission: Emission, schema: Schema): Schema | undefined {
  if (schema.kind === 'ref') return schemaOf(emission, schema.target).schema
  const only = schema.kind === 'intersection' ? mainBranch(schema) : undefined
  return only && schema.nullable ? { ...only, nullable: true } : only
}
