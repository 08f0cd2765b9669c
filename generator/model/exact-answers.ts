import { type DiagnosticList, messages } from '../diagnostics.ts'
import type { Content, Document, Model, Operation, Schema } from './types.ts'
import { addReferrer, withReferrers } from './referrers.ts'
import { targetsOf, within } from './walk.ts'

/** The schemas of named schemas, keyed by id. */
type Schemas = ReadonlyMap<string, { readonly schema: Schema }>

/** Returns the JSON contents of successes that contain integers beyond 2^53, directly or by references. */
export function exactAnswers(documents: readonly Document[], schemas: Schemas): ReadonlySet<Content> {
  const ids = idsWith(schemas, isWide)
  const contents = documents.flatMap(({ operations }) =>
    operations.flatMap(({ successes }) => successes.flatMap(each => each.contents)),
  )
  const isExact = ({ kind, schema }: Content): boolean =>
    kind === 'json' && (within(schema).some(isWide) || targetsOf(schema).some(id => ids.has(id)))
  return new Set(contents.filter(isExact))
}

/**
 * Returns the ids of the schemas that contain such a part, directly or by references: each schema passes its mark on to
 * its referrers.
 */
export function idsWith(schemas: Schemas, isSuch: (part: Schema) => boolean): ReadonlySet<string> {
  const referrers = new Map<string, string[]>()
  for (const [id, { schema }] of schemas) for (const target of targetsOf(schema)) addReferrer(referrers, target, id)
  const marked = [...schemas].filter(([, { schema }]) => within(schema).some(isSuch))
  return withReferrers(
    marked.map(([id]) => id),
    referrers,
  )
}

/** Whether a schema is that of integers of the format `int64`, which generated code may hold in another form. */
export const isInt64 = (part: Schema): boolean =>
  part.kind === 'number' ? part.integer && part.format === 'int64' : part.kind === 'enum' && part.exact !== undefined

/** Notes once for each document that numbers hold its integers of 64 bits, at the first of them. */
export function noteInt64s({ documents }: Model, diagnostics: DiagnosticList): void {
  for (const { operations, schemas } of documents) {
    const roots = [...schemas.map(({ schema }) => schema), ...operations.flatMap(schemasOf)]
    const first = roots.flatMap(root => [...within(root)]).find(isWide)
    if (first) diagnostics.add(messages.int64AsNumber(), first.position)
  }
}

/** Returns the schemas of an operation that have no name, and references to schemas with a name. */
export const schemasOf = ({ body, failures, parameters, successes }: Operation): readonly Schema[] => [
  ...(body?.contents.map(({ schema }) => schema) ?? []),
  ...parameters.map(({ schema }) => schema),
  ...[...successes, ...failures].flatMap(({ contents }) => contents.map(({ schema }) => schema)),
]

const isWide = (part: Schema): boolean => part.kind === 'number' && part.wide === true
