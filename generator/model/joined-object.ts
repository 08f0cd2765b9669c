import { isConstraint, type Property, type Schema } from './types.ts'

/**
 * Returns an intersection of objects as one object with the members of all; any other schema as it is. Of members with
 * one name, the last counts. `resolve` follows references to the final schema.
 */
export function joinedObject(schema: Schema, resolve: (schema: Schema) => Schema): Schema {
  if (schema.kind !== 'intersection') return schema
  const branches = schema.of
    .filter(branch => !isConstraint(branch))
    .map(branch => joinedObject(resolve(branch), resolve))
  const objects = branches.filter(branch => branch.kind === 'object')
  if (objects.length === 0 || objects.length < branches.length) return schema
  const members = objects.flatMap(({ properties }) => properties.map((each): [string, Property] => [each.name, each]))
  const additional = objects.map(object => object.additional).find(each => each !== 'open') ?? 'open'
  return { kind: 'object', properties: [...new Map(members).values()], additional, position: schema.position }
}
