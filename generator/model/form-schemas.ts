import { type DiagnosticList, messages } from '../diagnostics.ts'
import type { Operation, Schema } from './types.ts'
import type { Unviewed } from './views.ts'
import { partsOf } from './walk.ts'
import type { Reaches } from '../document-outline.ts'

/**
 * Returns the schema of a multipart form in its generated shape: a text member with the format `binary`, or a list of
 * these texts, becomes a file or a list of files. A deeper text stays text, because nested values are sent as JSON.
 */
export function withFiles(schema: Schema): Schema {
  if (schema.kind === 'union' || schema.kind === 'intersection') return { ...schema, of: schema.of.map(withFiles) }
  if (schema.kind !== 'object') return fileOf(schema)
  return {
    ...schema,
    properties: schema.properties.map(property => ({ ...property, schema: fileOf(property.schema) })),
    additional: typeof schema.additional === 'object' ? fileOf(schema.additional) : schema.additional,
  }
}

function fileOf(schema: Schema): Schema {
  if (schema.kind === 'array') return { ...schema, items: fileOf(schema.items) }
  if (schema.kind === 'union' || schema.kind === 'intersection') return { ...schema, of: schema.of.map(fileOf) }
  if (schema.kind !== 'string' || schema.format !== 'binary') return schema
  const { format: _, pattern: __, ...base } = schema
  return { ...base, kind: 'binary' }
}

/** Returns the schemas of a part: of the items of a list, and of the alternatives of a union. */
function itemsOf(part: Schema): readonly Schema[] {
  if (part.kind === 'array') return itemsOf(part.items)
  return part.kind === 'union' || part.kind === 'intersection' ? part.of.flatMap(itemsOf) : [part]
}

const isFile = (schema: Schema): boolean =>
  itemsOf(schema).some(item => item.kind === 'string' && item.format === 'binary')

type Index = ReadonlyMap<string, Schema>

/**
 * Returns the ids of the named schemas that are multipart forms, or files in such forms. `seeds` holds the schemas that
 * unloaded documents reach.
 */
export function formSchemas(
  operations: readonly Operation[],
  schemas: readonly Unviewed[],
  seeds: readonly Pick<Reaches, 'forms'>[] = [],
): ReadonlySet<string> {
  const byId: Index = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const found = new Set(seeds.flatMap(({ forms }) => forms))
  for (const { kind, schema } of operations.flatMap(({ body }) => body?.contents ?? [])) {
    if (kind !== 'multipart') continue
    for (const part of objectsOf(schema, byId, found).flatMap(partsOf)) {
      for (const item of itemsOf(part)) {
        const target = item.kind === 'ref' ? byId.get(item.target) : undefined
        if (item.kind === 'ref' && target && isFile(target)) found.add(item.target)
      }
    }
  }
  return found
}

/** Reports encodings for members that the form does not have. */
export function judgeEncodings(operations: readonly Operation[], byId: Index, diagnostics: DiagnosticList): void {
  for (const { encoding = [], schema } of operations.flatMap(({ body }) => body?.contents ?? [])) {
    const names = objectsOf(schema, byId, new Set()).flatMap(({ properties }) => properties.map(({ name }) => name))
    for (const { name, position } of encoding) {
      if (!names.includes(name)) diagnostics.add(messages.encodingUnknown(name), position)
    }
  }
}

/**
 * Returns the objects of a form, found through references, branches and alternatives. Adds the followed references to
 * `followed`.
 */
function objectsOf(schema: Schema, byId: Index, followed: Set<string>): readonly Extract<Schema, { kind: 'object' }>[] {
  if (schema.kind === 'object') return [schema]
  if (schema.kind === 'union' || schema.kind === 'intersection') {
    return schema.of.flatMap(branch => objectsOf(branch, byId, followed))
  }
  const target = schema.kind === 'ref' && !followed.has(schema.target) ? byId.get(schema.target) : undefined
  if (schema.kind !== 'ref' || !target) return []
  followed.add(schema.target)
  return objectsOf(target, byId, followed)
}
