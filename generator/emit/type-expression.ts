import { isConstraint, isNever, type Json, type Property, type Schema, type View } from '../model/types.ts'
import { type Emission, schemaOf } from './emission.ts'
import type { OutputFile } from './file.ts'
import { heldAs } from './int64/held.ts'
import { alike, enumValues, heldType } from './int64/values.ts'
import type { Doc } from './layout/doc.ts'
import { annotated, arrayOf, generic, intersectionOf, objectOf, tupleOf, type Type, unionOf } from './layout/type.ts'
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
  if (!schema.nullable) return type
  return type === 'never' ? 'null' : unionOf([type, 'null'])
}

function plainTypeOf(schema: Schema, context: TypeContext): Type {
  switch (schema.kind) {
    case 'string':
    case 'boolean':
      return schema.kind
    case 'number':
      return heldAs(schema, context.emission) ?? schema.kind
    case 'enum':
      return unionOf(
        enumValues(schema, context.emission)
          .filter(value => context.view === 'output' || value !== schema.unspecified)
          .map(heldType),
      )
    case 'array':
      return arrayTypeOf(schema, { ...context, view: whole(context.view) })
    case 'object':
      return objectTypeOf(schema, context)
    case 'ref':
      return nameOf(schema.target, context)
    case 'union':
      return branchesOf(schema, context)
    case 'intersection':
      return joinedType(alike(typedBranches(schema), context.emission).map(branch => typeOf(branch, context)))
    case 'conditional':
      return conditionalType(schema, context)
    case 'constant':
      return constantType(schema.value)
    case 'binary':
      return context.file.runtime('FormFile')
    case 'any':
    case 'not':
    case 'dependent':
    case 'unevaluated':
      return 'unknown'
    case 'never':
      return 'never'
  }
}

/**
 * Returns the branches of an intersection that its type contains. TypeScript cannot express a negated schema, the
 * keywords of several types in a schema without a type, nor that the other branches have no members.
 */
export function typedBranches({ of }: Extract<Schema, { kind: 'intersection' }>): readonly Schema[] {
  const stated = of.filter(branch => !isConstraint(branch) || hasBothBranches(branch))
  const open = stated.filter(
    branch => branch.kind !== 'object' || branch.additional !== false || branch.properties.length > 0,
  )
  const typed = open.length > 0 ? open : stated
  const implied = new Set(typed.flatMap(({ implied, kind }) => (implied ? [kind] : [])))
  return implied.size > 1 ? typed.filter(branch => !branch.implied) : typed
}

const hasBothBranches = (schema: Schema): boolean =>
  schema.kind === 'conditional' && schema.then !== undefined && schema.else !== undefined

/** Returns the intersection of the types that say something: `unknown` says nothing. */
function joinedType(types: readonly Type[]): Type {
  const telling = types.filter(type => type !== 'unknown')
  return telling.length === 0 ? 'unknown' : intersectionOf(telling.length < types.length ? telling : types)
}

/**
 * Returns the type of a conditional schema: a value fits the condition and `then`, or it fits `else`. Without one of the
 * two, every value may fit.
 */
function conditionalType(schema: Extract<Schema, { kind: 'conditional' }>, context: TypeContext): Type {
  const { then, else: otherwise } = schema
  if (!then || !otherwise) return 'unknown'
  const types = [joinedType([schema.if, then].map(part => typeOf(part, context))), typeOf(otherwise, context)]
  return types.includes('unknown') ? 'unknown' : unionOf(types)
}

/** Returns the type of a list. Items with schemas of their own make a tuple, whose items beyond `minItems` are optional. */
function arrayTypeOf({ items, minItems = 0, prefix }: Extract<Schema, { kind: 'array' }>, context: TypeContext): Type {
  if (!prefix) return arrayOf(typeOf(items, context))
  const first = prefix.map((item, i) => ({ type: typeOf(item, context), isOptional: i >= minItems }))
  return isNever(items) ? tupleOf(first) : tupleOf(first, typeOf(items, context))
}

function constantType(value: Json): Type {
  if (value === null) return 'null'
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return literalType(value)
  if (isList(value)) return tupleOf(value.map(item => ({ type: constantType(item), isOptional: false })))
  return objectOf(Object.entries(value).map(([name, part]) => annotated(`${key(name)}:`, constantType(part))))
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

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
  if (schema.additional === false && schema.patterns) return generic('Record', 'string', mapValue(schema, [], context))
  if (schema.additional === false) return generic('Record', 'string', 'never')
  if (typeof schema.additional === 'string') return generic('Record', 'string', 'unknown')
  const value = mapValue(schema, [], context)
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

/** Returns the type of the undeclared members of an object, wide enough for the given properties too. */
function mapValue(
  { additional, patterns = [] }: Extract<Schema, { kind: 'object' }>,
  properties: readonly Property[],
  context: TypeContext,
): Type {
  const inner = { ...context, view: whole(context.view) }
  const further = [...(typeof additional === 'object' ? [additional] : []), ...patterns.map(([, schema]) => schema)]
  const types = [
    ...further.map(schema => typeOf(schema, properties.length > 0 ? context : inner)),
    ...properties.map(({ schema }) => typeOf(schema, context)),
  ]
  return types.includes('unknown') ? 'unknown' : unionOf(types)
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
  schema: Extract<Schema, { kind: 'object' }>,
  properties: readonly Property[],
  context: TypeContext,
): Doc | undefined {
  const { additional, patterns } = schema
  if ((additional === false && !patterns) || additional === 'open') return undefined
  if (additional === 'any') return '[member: string]: unknown'
  const value = mapValue(schema, properties, context)
  if (patterns && value === 'unknown') return '[member: string]: unknown'
  const types = [value]
  const optional = properties.some(property => isOptional(property, context.view)) ? ['undefined'] : []
  return annotated('[member: string]:', unionOf([...types, ...optional]))
}
