import { flag, member, members, positionOf, text } from '../read/located.ts'
import { isIgnoredHeader } from '../read/operations.ts'
import { own } from '../read/pointer.ts'
import type { Located } from '../read/types.ts'
import type { BuildSchema } from './building.ts'
import { exampleAt } from './example.ts'
import type { Parameter, ParameterStyle } from './types.ts'

type Place = Parameter['in']

/**
 * The locations of parameters by precedence. Among parameters with the same name, the parameter of the first location
 * keeps its name.
 */
const places: readonly Place[] = ['path', 'query', 'header', 'cookie']

const defaultStyles: Readonly<Record<Place, ParameterStyle>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
}

const styles: readonly ParameterStyle[] = [
  'form',
  'simple',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'label',
  'matrix',
]

/**
 * Whether the name of a parameter cannot name a member of the request: the name of the body, `__proto__`, and for an
 * optional parameter, a name that every object inherits, such as `constructor`, because an object literal without that
 * member would not have the type of the request.
 */
const isReserved = (name: string, required: boolean): boolean =>
  name === 'body' || name === '__proto__' || (!required && name in Object.prototype)

/**
 * Builds the parameters of an operation, without the headers that OpenAPI describes elsewhere and ignores as
 * parameters.
 */
export function parametersFrom(found: readonly Located[], build: BuildSchema): readonly Parameter[] {
  const wanted = found.filter(at => !isIgnoredHeader(at))
  const placed = wanted.flatMap(at => {
    const place = places.find(known => known === text(at, 'in'))
    return place ? [{ at, place, name: text(at, 'name') ?? '' }] : []
  })
  return placed.map(({ at, place, name }) => {
    const before = places.slice(0, places.indexOf(place))
    const isTaken = placed.some(other => other.name === name && before.includes(other.place))
    const member = isTaken || isReserved(name, isRequired(at, place)) ? free(`${place}_${name}`, placed) : name
    return parameterOf(at, place, name, member, build)
  })
}

/** Returns `name`, with `_` appended until no parameter has the result as its name. */
const free = (name: string, placed: readonly { readonly name: string }[]): string =>
  placed.some(other => other.name === name) ? free(`${name}_`, placed) : name

function parameterOf(at: Located, place: Place, name: string, as: string, build: BuildSchema): Parameter {
  const [content] = members(member(at, 'content'))
  const schema = content ? member(content[1], 'schema') : member(at, 'schema')
  const style = content ? 'json' : styleOf(at, place)
  const explode = own(at.value, 'explode')
  return {
    name,
    member: as,
    in: place,
    required: isRequired(at, place),
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
    ...(place === 'query' && flag(at, 'allowReserved') && { allowReserved: true }),
    ...(place === 'query' && flag(at, 'allowEmptyValue') && { allowEmptyValue: true }),
    description: text(at, 'description'),
    deprecated: flag(at, 'deprecated'),
    schema: schema ? build(schema) : { kind: 'any', position: positionOf(at) },
    ...exampleAt(at),
    position: positionOf(at),
  }
}

const isRequired = (at: Located, place: Place): boolean => place === 'path' || flag(at, 'required')

const styleOf = (at: Located, place: Place): ParameterStyle =>
  styles.find(style => style === text(at, 'style')) ?? defaultStyles[place]
