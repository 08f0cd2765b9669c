import { type DiagnosticList, type Message, messages } from '../diagnostics.ts'
import type { Position } from '../position.ts'
import { type Index, isTextual, type ObjectSchema, resolved, shaped } from './textual.ts'
import { type Content, isMap, type Parameter } from './types.ts'

/**
 * Reports exploded objects whose members go to another parameter of their place: members with the name of another
 * parameter, and all members of a map beside another map, which takes everything that has no other name.
 */
export function judgeExploded(parameters: readonly Parameter[], byId: Index, diagnostics: DiagnosticList): void {
  for (const place of ['query', 'cookie'] as const) {
    const placed = parameters
      .filter(each => each.in === place)
      .map(each => ({ parameter: each, exploded: explodedIn(each, byId) }))
    const named = placed.map(({ exploded, parameter: { name, position } }) => ({ name, position, exploded }))
    reportTaken(named, messages.parameterMembers, diagnostics)
    const [first, ...others] = placed.flatMap(({ exploded, parameter }) =>
      exploded && isMap(exploded) ? [parameter] : [],
    )
    for (const { position } of others) diagnostics.add(messages.parameterMaps(first?.name ?? '', place), position)
  }
}

/** Reports members of a URL-encoded form that are exploded objects with a member that another member of the form takes. */
export function judgeForm({ encoding = [], schema }: Content, byId: Index, diagnostics: DiagnosticList): void {
  const form = shaped(schema, byId)
  if (form.kind !== 'object') return
  const named = form.properties.map(({ name, schema: { position }, schema: of }) => {
    const { contentType, explode = true, style = 'form' } = encoding.find(each => each.name === name) ?? {}
    const member = resolved(of, byId)
    const isExploded = explode && style === 'form' && !/json/i.test(contentType ?? '')
    const isFlat = member.kind === 'object' && typeof member.additional !== 'object' && isTextual(member, byId)
    return { name, position, exploded: isExploded && isFlat ? member : undefined }
  })
  reportTaken(named, messages.formMembers, diagnostics)
}

/** A parameter, or a member of a form; `exploded` is its object if the members stand beside other names. */
interface Named {
  readonly name: string
  readonly position: Position
  readonly exploded: ObjectSchema | undefined
}

/** Reports exploded objects with a member whose name another of `all` has, or another object before it. */
function reportTaken(
  all: readonly Named[],
  message: (name: string, other: string) => Message,
  diagnostics: DiagnosticList,
): void {
  const taken = new Map(all.filter(({ exploded }) => !exploded).map(({ name }) => [name, name]))
  for (const { exploded, name: own, position } of all) {
    const names = exploded?.properties.map(({ name }) => name) ?? []
    const twice = names.find(name => taken.has(name))
    if (twice !== undefined) diagnostics.add(message(twice, taken.get(twice) ?? ''), position)
    for (const name of names) if (!taken.has(name)) taken.set(name, own)
  }
}

/** Returns the object of a parameter whose members are parameters of their own; undefined for any other parameter. */
function explodedIn({ explode, schema, style }: Parameter, byId: Index): ObjectSchema | undefined {
  const of = shaped(schema, byId)
  return explode && style === 'form' && of.kind === 'object' ? of : undefined
}
