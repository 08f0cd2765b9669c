import type { Property, Schema, View } from '../model/types.ts'
import { type Emission, schemaOf } from './emission.ts'
import type { OutputFile } from './file.ts'
import type { Doc } from './layout/doc.ts'
import { annotated, arrayOf, generic, intersectionOf, objectOf, type Type, unionOf } from './layout/type.ts'
import { key, literalType } from './layout/typescript.ts'

/** The context of a type: the view of its members, and the file that records the imports. */
export interface TypeContext {
  readonly emission: Emission
  readonly file: OutputFile
  readonly view: View
}

/** Returns the TypeScript type of a schema in a view. */
export function typeOf(schema: Schema, context: TypeContext): Type {
  const type = plainTypeOf(schema, context)
  return schema.nullable ? unionOf([type, 'null']) : type
}

function plainTypeOf(schema: Schema, context: TypeContext): Type {
  switch (schema.kind) {
    case 'string':
    case 'boolean':
    case 'number':
      return schema.kind
    case 'enum':
      return unionOf(
        schema.values.filter(value => context.view === 'output' || value !== schema.unspecified).map(literalType),
      )
    case 'array':
      return arrayOf(typeOf(schema.items, { ...context, view: whole(context.view) }))
    case 'object':
      return objectTypeOf(schema, context)
    case 'ref':
      return nameOf(schema.target, context)
    case 'union':
      return branchesOf(schema, context)
    case 'intersection':
      return intersectionOf(typedBranches(schema).map(branch => typeOf(branch, context)))
    case 'binary':
      return context.file.runtime('FormFile')
    case 'any':
    case 'not':
      return 'unknown'
    case 'never':
      return 'never'
  }
}

/**
 * Returns the branches of an intersection that its type contains. TypeScript cannot express a negated schema, nor that
 * the other branches have no members.
 */
export function typedBranches({ of }: Extract<Schema, { kind: 'intersection' }>): readonly Schema[] {
  const positive = of.filter(({ kind }) => kind !== 'not')
  const open = positive.filter(
    branch => branch.kind !== 'object' || branch.additional !== false || branch.properties.length > 0,
  )
  return open.length > 0 ? open : positive
}

/** Returns the name of a schema in a view, imported if it is in another file. */
export function nameOf(target: string, { emission, file, view }: TypeContext): string {
  const { views, document } = schemaOf(emission, target)
  return file.from('types', views[view], true, document)
}

/**
 * Returns the union of the branches. A branch in the mapping of a discriminator is narrowed by its values of the
 * discriminating member.
 */
function branchesOf({ discriminator, of }: Extract<Schema, { kind: 'union' }>, context: TypeContext): Type {
  const branches = of.map((branch): Type => {
    const type = typeOf(branch, context)
    const tags = discriminator?.mapping.filter(([, target]) => branch.kind === 'ref' && target === branch.target) ?? []
    if (!discriminator || tags.length === 0) return type
    const tag = annotated(`${key(discriminator.property)}:`, unionOf(tags.map(([value]) => literalType(value))))
    return intersectionOf([type, objectOf([tag])])
  })
  return unionOf(branches)
}

function objectTypeOf(schema: Extract<Schema, { kind: 'object' }>, context: TypeContext): Type {
  const members = membersOf(schema, context)
  if (members.length > 0) return objectOf(members)
  if (schema.additional === false) return generic('Record', 'string', 'never')
  if (typeof schema.additional === 'string') return generic('Record', 'string', 'unknown')
  const value = typeOf(schema.additional, { ...context, view: whole(context.view) })
  // Only an object type in an alias may contain the alias itself, and `Record` is an alias too.
  if (leadsToItself(schema.additional, context)) return objectOf([annotated('[member: string]:', value)])
  return generic('Record', 'string', value)
}

/** Whether the schema is recursive, or has a recursive schema as its item or branch. */
function leadsToItself(schema: Schema, context: TypeContext): boolean {
  if (schema.kind === 'ref') return schemaOf(context.emission, schema.target).isRecursive
  if (schema.kind === 'array') return leadsToItself(schema.items, context)
  const branches = schema.kind === 'union' || schema.kind === 'intersection' ? schema.of : []
  return branches.some(branch => leadsToItself(branch, context))
}

/**
 * Returns the members of an object type in a view. If the object has declared members, the index signature of its
 * undeclared members follows.
 */
export function membersOf(schema: Extract<Schema, { kind: 'object' }>, context: TypeContext): readonly Doc[] {
  const properties = visible(schema.properties, context.view)
  const members = properties.map(property => memberOf(property, context))
  const index = members.length > 0 ? indexSignature(schema, properties, context) : undefined
  return index ? [...members, index] : members
}

/** Returns a member such as `name?: T`. */
export function memberOf(property: Property, context: TypeContext): Doc {
  const mark = isOptional(property, context.view) ? '?:' : ':'
  const view = memberView(property, context.view)
  const type = context.emission.shared.has(property) ? '{} | null' : typeOf(property.schema, { ...context, view })
  return annotated(`${key(property.name)}${mark}`, type)
}

/** Returns the view of a member. In a request, the member that a mask updates has the view of an update. */
export const memberView = ({ masked }: Property, view: View): View => (masked && view === 'input' ? 'update' : view)

/**
 * Returns the view of the items of a list or map. An update replaces lists and maps as a whole, so their items have the
 * input view.
 */
export const whole = (view: View): View => (view === 'update' ? 'input' : view)

/** Returns the properties that a view contains. */
export const visible = (properties: readonly Property[], view: View): readonly Property[] =>
  properties.filter(({ access }) => (view === 'output' ? access !== 'input' : access !== 'output'))

/**
 * Whether a property may be absent. In an update, every property may be absent. A property with a default may be absent
 * in requests, but never in answers; the same holds for a precondition.
 */
export function isOptional({ access, required, schema }: Property, view: View): boolean {
  if (view === 'update') return true
  if (access === 'precondition') return view === 'input'
  const hasDefault = schema.default !== undefined
  return view === 'output' ? !required && !hasDefault : !required || hasDefault
}

/**
 * Returns the index signature of undeclared members; undefined without a signature. The type of the signature must be
 * wide enough for the declared members too.
 */
export function indexSignature(
  { additional }: Extract<Schema, { kind: 'object' }>,
  properties: readonly Property[],
  context: TypeContext,
): Doc | undefined {
  if (additional === false || additional === 'open') return undefined
  if (additional === 'any') return '[member: string]: unknown'
  const types = [additional, ...properties.map(({ schema }) => schema)].map(schema => typeOf(schema, context))
  const optional = properties.some(property => isOptional(property, context.view)) ? ['undefined'] : []
  return annotated('[member: string]:', unionOf([...types, ...optional]))
}
