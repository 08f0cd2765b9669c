import { isConstraint, type NamedSchema, type Property, type Schema, type View } from '../model/types.ts'

/** All named schemas of a run, keyed by id. */
export type Schemas = ReadonlyMap<string, NamedSchema>

/** A schema without references, intersections and constraints, such as negated schemas. */
export type Shape = Exclude<
  Schema,
  { kind: 'ref' | 'intersection' | 'not' | 'conditional' | 'dependent' | 'unevaluated' }
>

const isShape = (schema: Exclude<Schema, { kind: 'ref' | 'intersection' }>): schema is Shape => !isConstraint(schema)

/** The shape of an object. */
export type ObjectShape = Extract<Schema, { kind: 'object' }>

/** The maximal number of references to follow. A longer chain of references counts as `any`. */
const maxSteps = 64

/**
 * Resolves references, merges intersections and drops constraints. Objects get the members of all branches. For texts and for numbers, the
 * keywords of a later branch override the same keywords of an earlier branch. For other kinds, the last enum counts,
 * else the first branch that is not `any`. Adds the ids of the followed references to `seen`.
 */
export function shapeOf(schema: Schema, schemas: Schemas, seen?: Set<string>, steps = 0): Shape {
  if (schema.kind === 'ref') {
    const target = schemas.get(schema.target)?.schema
    seen?.add(schema.target)
    if (!target || steps >= maxSteps) return { kind: 'any', position: schema.position }
    const shape = shapeOf(target, schemas, seen, steps + 1)
    return schema.nullable ? { ...shape, nullable: true } : shape
  }
  if (schema.kind !== 'intersection') return isShape(schema) ? schema : { kind: 'any', position: schema.position }
  const branches = schema.of.map(branch => shapeOf(branch, schemas, seen, steps + 1))
  const joined = branches.reduce<Shape>(join, { kind: 'any', position: schema.position })
  const { nullable: _ofBranches, ...rest } = joined
  return schema.nullable ? { ...rest, nullable: true } : rest
}

function join(one: Shape, other: Shape): Shape {
  if (one.kind === 'any') return other
  if (other.kind === 'any') return one
  if (one.kind === 'object' && other.kind === 'object') return joinObjects(one, other)
  if (one.kind === 'string' && other.kind === 'string') return { ...one, ...other }
  if (one.kind === 'number' && other.kind === 'number') return { ...one, ...other }
  return other.kind === 'enum' ? other : one
}

function joinObjects(one: ObjectShape, other: ObjectShape): ObjectShape {
  const properties = new Map<string, Property>(one.properties.map(property => [property.name, property]))
  for (const property of other.properties) {
    const known = properties.get(property.name)
    properties.set(property.name, known ? joinProperties(known, property) : property)
  }
  const ranks = [one.additional, other.additional]
  const additional =
    ranks.find(each => each === false) ??
    ranks.find(each => typeof each === 'object') ??
    (ranks.includes('any') ? 'any' : 'open')
  return { ...one, ...other, properties: [...properties.values()], additional }
}

function joinProperties(one: Property, other: Property): Property {
  return {
    ...one,
    schema: { kind: 'intersection', of: [one.schema, other.schema], position: one.schema.position },
    required: one.required || other.required,
    access: one.access === 'both' ? other.access : one.access,
    immutable: one.immutable || other.immutable,
  }
}

/** Whether a member belongs to a view: requests omit output-only members, and responses omit input-only members. */
export const travels = ({ access }: Property, view: View): boolean =>
  view === 'output' ? access !== 'input' : access !== 'output'

/**
 * Whether a member is required in a view. An update requires no member. An input requires each `required` member
 * without a default. An output requires each `required` member and each member with a default.
 */
export function isRequired({ required, schema }: Property, view: View): boolean {
  if (view === 'update') return false
  const hasDefault = schema.default !== undefined
  return view === 'output' ? required || hasDefault : required && !hasDefault
}

/**
 * Whether an example must contain a member. An update without a mask replaces all mutable members, so an example of an
 * update contains the required mutable members.
 */
export function mustBeSent(property: Property, view: View): boolean {
  if (!travels(property, view)) return false
  return view === 'update' ? isRequired(property, 'input') && !property.immutable : isRequired(property, view)
}

/** Returns the view of a member. In a request, an object next to an `update_mask` has the update view. */
export const memberView = ({ masked }: Property, view: View): View => (masked && view === 'input' ? 'update' : view)

/** Returns the member that an `update_mask` next to the member selects from; undefined if there is none. */
export const maskedOf = (shape: Shape | undefined): Property | undefined =>
  shape?.kind === 'object' ? shape.properties.find(({ masked }) => masked) : undefined

/**
 * Returns the view of the elements of a list or map. An update replaces a list or map as a whole, so the elements have
 * the input view.
 */
export const elementView = (view: View): View => (view === 'update' ? 'input' : view)
