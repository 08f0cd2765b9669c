import type { NamedSchema, Property, Schema, View } from '../model/types.ts'

/** All named schemas of a run, by id. */
export type Schemas = ReadonlyMap<string, NamedSchema>

/** A schema without references and intersections: what a value of it looks like from outside. */
export type Shape = Exclude<Schema, { kind: 'ref' | 'intersection' }>

export type ObjectShape = Extract<Schema, { kind: 'object' }>

/** References that lead only to each other stand for anything. */
const maxSteps = 64

/**
 * Looks through references and joins intersections: objects get the members of all branches; of other branches the
 * keywords add up, the later ones winning. `seen` is told the names of the schemas on the way.
 */
export function shapeOf(schema: Schema, schemas: Schemas, seen?: Set<string>, steps = 0): Shape {
  if (schema.kind === 'ref') {
    const target = schemas.get(schema.target)?.schema
    seen?.add(schema.target)
    if (!target || steps >= maxSteps) return { kind: 'any', position: schema.position }
    const shape = shapeOf(target, schemas, seen, steps + 1)
    return schema.nullable ? { ...shape, nullable: true } : shape
  }
  if (schema.kind !== 'intersection') return schema
  const branches = schema.of.map(branch => shapeOf(branch, schemas, seen, steps + 1))
  const joined = branches.reduce<Shape>(join, { kind: 'any', position: schema.position })
  const { nullable: _ofBranches, ...rest } = joined
  return schema.nullable ? { ...rest, nullable: true } : rest
}

function join(one: Shape, other: Shape): Shape {
  if (one.kind === 'any') return other
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

/** Whether a member travels in a view: sent ones are not output-only, answered ones not input-only. */
export const travels = ({ access }: Property, view: View): boolean =>
  view === 'output' ? access !== 'input' : access !== 'output'

/** Whether a member must be there: in an update none, when sent none with a default, and answered those too. */
export function isRequired({ required, schema }: Property, view: View): boolean {
  if (view === 'update') return false
  const hasDefault = schema.default !== undefined
  return view === 'output' ? required || hasDefault : required && !hasDefault
}

/** Whether an example needs a member: an update without a mask replaces all that is mutable, so required ones are sent. */
export function mustBeSent(property: Property, view: View): boolean {
  if (!travels(property, view)) return false
  return view === 'update' ? isRequired(property, 'input') && !property.immutable : isRequired(property, view)
}

/** The view of a member: what a mask beside it updates is sent as an update. */
export const memberView = ({ masked }: Property, view: View): View => (masked && view === 'input' ? 'update' : view)

/** The member of a body that the `update_mask` beside it is about. */
export const maskedOf = (shape: Shape | undefined): Property | undefined =>
  shape?.kind === 'object' ? shape.properties.find(({ masked }) => masked) : undefined

/** Lists and maps are replaced whole, so what stands in them is as in a create. */
export const elementView = (view: View): View => (view === 'update' ? 'input' : view)
