import { type Emission, schemaOf } from '../../../generator/emit/emission.ts'
import {
  bodyCompletion,
  completionOf,
  filledParameters,
  isNarrowed,
  requestCompletion,
} from '../../../generator/emit/parsed-types.ts'
import { valuesName } from '../../../generator/emit/names.ts'
import type { NamedSchema, Operation, Property, Schema, View } from '../../../generator/model/types.ts'
import { type Declaration, once } from './declarations.ts'

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** Returns the declarations of types.ts: the views of each schema, and the request of each operation. */
export const modelledTypes = (emission: Emission): readonly Declaration[] => [
  ...emission.document.schemas.flatMap(schema => viewsOf(schema, emission)),
  ...emission.document.operations.flatMap(operation => requestsOf(operation, emission)),
]

function viewsOf(named: NamedSchema, emission: Emission): readonly Declaration[] {
  const { isAnswered, schema, views } = named
  const input = views.input === views.output ? [] : [viewOf(named, 'input')]
  const parsed = completionOf(schema, emission).fills ? [parsedOf(named, emission)] : []
  return [
    ...(isAnswered ? outputOf(named) : []),
    ...(input.length > 0 ? [...input, ...parsed] : []),
    ...(views.update === views.input ? [] : [updateOf(named, emission)]),
  ]
}

function outputOf(named: NamedSchema): readonly Declaration[] {
  const { schema, views } = named
  if (schema.kind !== 'enum') return [viewOf(named, 'output')]
  const values: Declaration = { kind: 'const', name: valuesName(views.output), members: schema.values.map(literal) }
  return [values, { kind: 'type', name: views.output, members: [] }]
}

function viewOf({ schema, views }: NamedSchema, view: View): Declaration {
  const name = views[view]
  if (schema.kind === 'enum') return { kind: 'type', name, members: [] }
  const isInterface = schema.kind === 'object' && !schema.nullable && travelling(schema, view).length > 0
  return { kind: isInterface ? 'interface' : 'type', name, members: once(membersOf(schema, view)) }
}

/**
 * Returns the update view: the input without required members, unless a schema that it refers to has its own update
 * view.
 */
function updateOf(named: NamedSchema, emission: Emission): Declaration {
  const { schema, views } = named
  const differs = ({ schema: { kind, ...rest } }: Property): boolean => {
    if (kind !== 'ref' || !('target' in rest)) return false
    const of = schemaOf(emission, rest.target).views
    return of.update !== of.input
  }
  const isPartial = schema.kind === 'object' && !schema.properties.some(differs)
  return isPartial ? { kind: 'type', name: views.update, members: [] } : viewOf(named, 'update')
}

function parsedOf(named: NamedSchema, emission: Emission): Declaration {
  const { schema } = named
  const members = schema.kind === 'object' ? filledOf(schema, emission) : parsedMembers(schema, emission)
  return { kind: 'type', name: named.parsedName, members: once(members) }
}

function parsedMembers(schema: Schema, emission: Emission): readonly string[] {
  if (!completionOf(schema, emission).fills) return membersOf(schema, 'input')
  if (schema.kind === 'intersection') return schema.of.flatMap(branch => parsedMembers(branch, emission))
  return schema.kind === 'object' ? [...membersOf(schema, 'input'), ...filledOf(schema, emission)] : []
}

/** Returns the members that have a default, or contain a value with a default. */
const filledOf = (schema: ObjectSchema, emission: Emission): readonly string[] =>
  travelling(schema, 'input')
    .filter(each => each.schema.default !== undefined || (!each.masked && completionOf(each.schema, emission).fills))
    .map(({ name, required, schema: { default: given } }) => member(name, !required && given === undefined))

function requestsOf(operation: Operation, emission: Emission): readonly Declaration[] {
  const { body, parameters, requestName } = operation
  const members = [
    ...parameters.map(each => member(each.member, !each.required || each.schema.default !== undefined)),
    ...(body ? [member('body', !body.required)] : []),
  ]
  const request: Declaration = { kind: members.length > 0 ? 'interface' : 'type', name: requestName, members }
  const narrowed = isNarrowed(body)
  if (!narrowed && !requestCompletion(operation, emission).fills) return [request]
  const isBodyParsed = narrowed || bodyCompletion(body, emission).fills
  const isStream = body?.content.kind === 'lines' || body?.content.kind === 'events'
  const parsed: Declaration = {
    kind: narrowed || body?.isTagged || isStream ? 'interface' : 'type',
    name: operation.parsedRequestName,
    members: [
      ...filledParameters(operation).map(each => member(each.member, false)),
      ...(body && isBodyParsed ? [member('body', !body.required)] : []),
    ],
  }
  return [request, parsed]
}

/** Returns the literals of a schema and the members of all its joined objects, without the members of named schemas. */
function membersOf(schema: Schema, view: View): readonly string[] {
  switch (schema.kind) {
    case 'object':
      return travelling(schema, view).map(each => member(each.name, isOptional(each, view)))
    case 'enum':
      return schema.values.filter(value => view === 'output' || value !== schema.unspecified).map(literal)
    case 'intersection':
      return schema.of.flatMap(branch => membersOf(branch, view))
    case 'union':
      return schema.of.flatMap(branch => {
        const tags = schema.discriminator?.mapping.filter(([, target]) => isRefTo(branch, target)) ?? []
        return [
          ...membersOf(branch, view),
          ...(tags.length > 0 ? [member(schema.discriminator?.property ?? '', false)] : []),
        ]
      })
    default:
      return []
  }
}

const isRefTo = (schema: Schema, target: string): boolean => schema.kind === 'ref' && schema.target === target

/** Returns the properties of a schema that a view contains. */
export const travelling = ({ properties }: ObjectSchema, view: View): readonly Property[] =>
  properties.filter(({ access }) => access !== (view === 'output' ? 'input' : 'output'))

/** Returns true if a member may be absent in a view. */
export function isOptional({ access, required, schema }: Property, view: View): boolean {
  if (view === 'update') return true
  if (access === 'precondition') return view === 'input'
  return view === 'output' ? !required && schema.default === undefined : !required || schema.default !== undefined
}

const member = (name: string, optional: boolean): string => `${JSON.stringify(name)}${optional ? '?' : ''}`

/** Returns a value as source text; numbers have JavaScript's form, except `1e21` for `1e+21`. */
const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value).replace('e+', 'e')
