import type { Document, NamedSchema, Property, Schema } from './types.ts'
import { within } from './walk.ts'

/**
 * Returns the properties of any type that stand in a branch of an intersection whose other branches have a property of
 * the same name. TypeScript does not find the intersection of an optional member and a required member of the type
 * `unknown` assignable to itself (`exactOptionalPropertyTypes`), so that the emitters give these properties another
 * type with the same JSON values.
 */
export function sharedMembers(
  documents: readonly Document[],
  schemas: ReadonlyMap<string, NamedSchema>,
): ReadonlySet<Property> {
  const joined = documents
    .flatMap(schemasOf)
    .flatMap(schema => within(schema).flatMap(part => (part.kind === 'intersection' ? sharedIn(part.of, schemas) : [])))
  return new Set(joined)
}

/** Returns such properties of the branches of one intersection. */
function sharedIn(of: readonly Schema[], schemas: Schemas): readonly Property[] {
  const branches = of.map(branch => propertiesOf(branch, schemas, new Set()))
  const names = branches.map(properties => new Set(properties.map(({ name }) => name)))
  return branches.flatMap((properties, index) => {
    const others = names.toSpliced(index, 1)
    return properties.filter(({ name, schema }) => others.some(each => each.has(name)) && isAny(schema, schemas))
  })
}

/** Returns the schemas of a document: the named schemas, and the inline schemas of its operations. */
function schemasOf({ operations, schemas }: Document): readonly Schema[] {
  const inline = operations.flatMap(({ body, parameters, successes, failures }) => [
    ...parameters.map(({ schema }) => schema),
    ...(body?.contents ?? []).map(({ schema }) => schema),
    ...[...successes, ...failures].flatMap(({ contents, headers }) => [
      ...contents.map(({ schema }) => schema),
      ...headers.map(({ schema }) => schema),
    ]),
  ])
  return [...schemas.map(({ schema }) => schema), ...inline]
}

type Schemas = ReadonlyMap<string, NamedSchema>

/** Returns the properties of all objects that a branch may be. */
function propertiesOf(schema: Schema, schemas: Schemas, followed: Set<string>): readonly Property[] {
  if (schema.kind === 'object') return schema.properties
  if (schema.kind === 'union' || schema.kind === 'intersection') {
    return schema.of.flatMap(branch => propertiesOf(branch, schemas, followed))
  }
  const target = schema.kind === 'ref' && !followed.has(schema.target) ? schemas.get(schema.target) : undefined
  if (target === undefined) return []
  followed.add(target.id)
  return propertiesOf(target.schema, schemas, followed)
}

/** Whether the type of a schema is `unknown`. */
function isAny(schema: Schema, schemas: Schemas): boolean {
  let of: Schema | undefined = schema
  for (let steps = 0; of?.kind === 'ref' && steps < schemas.size; steps += 1) of = schemas.get(of.target)?.schema
  return of?.kind === 'any' || of?.kind === 'not'
}
