import { isRecord } from '../../../../runtime/validation.ts'
import { invalidPayload, readable } from '../../ingest/payload-faults.ts'
import { jsonOf } from '../../ingest/read-otlp.ts'
import type { LabelledRequest } from './label-protobuf.ts'
import type { OtlpShape } from './otlp-shapes.ts'
import { countedPlaces, type OwnAttributes } from './own-attributes.ts'

/**
 * Returns a request of OTLP in JSON with the own attributes in place of those of the sender, and without members that may
 * have others. Members whose names some stores may read as those of OTLP are refused, such as those in snake case. Throws
 * PAYLOAD_INVALID for text of another form, and PAYLOAD_TOO_LARGE.
 */
export function labelJson(request: Uint8Array, shape: OtlpShape, own: OwnAttributes): LabelledRequest {
  let items = 0
  const countPlace = countedPlaces(own)
  const attributes = own.pairs.map(([key, value]) => ({ key, value: { stringValue: value } }))
  const label = (value: unknown, of: OtlpShape): Record<string, unknown> => {
    if (!isRecord(value)) throw malformed()
    if (of.isItem) items += 1
    requireNames(value, of)
    const labelled = sentOn(value, of)
    for (const { name, shape: inner } of of.fields ?? []) {
      const member = value[name]
      if (name === 'resource') labelled[name] = label(member ?? {}, inner)
      else if (Array.isArray(member)) labelled[name] = member.map(each => label(each, inner))
      else if (member !== undefined && member !== null) labelled[name] = label(member, inner)
    }
    if (of.attributes === undefined) return labelled
    countPlace()
    const sent = value['attributes'] ?? []
    if (!Array.isArray(sent)) throw malformed()
    labelled['attributes'] = [
      ...sent.map(keyValueOf).filter(({ key, value: each }) => !own.replaces(key, isMap(each))),
      ...attributes,
    ]
    return labelled
  }
  const body = readable('is not a request of OTLP in JSON', () => {
    return JSON.stringify(label(jsonOf(request, exactNumbers), shape))
  })
  return { body: new TextEncoder().encode(body), items }
}

const malformed = () => invalidPayload('is not a request of OTLP in JSON')

/** Throws PAYLOAD_INVALID for a member whose name is that of a member of the shape but for its case and underscores. */
function requireNames(value: Record<string, unknown>, of: OtlpShape): void {
  const names = [...(of.fields ?? []), ...(of.others ?? [])].map(({ name }) => name).concat('attributes')
  const known = new Map(names.map(name => [name.toLowerCase(), name]))
  for (const name of Object.keys(value)) {
    const meant = known.get(name.replaceAll('_', '').toLowerCase()) ?? name
    if (meant !== name) throw invalidPayload(`has the member ${name.slice(0, 80)} in place of ${meant}`)
  }
}

/** Returns the members of a message that go on as they are. */
const sentOn = (value: Record<string, unknown>, { others }: OtlpShape): Record<string, unknown> =>
  others === undefined
    ? { ...value }
    : Object.fromEntries(others.flatMap(({ name }) => (Object.hasOwn(value, name) ? [[name, value[name]]] : [])))

const isMap = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).some(name => /^kvlist_?value$/i.test(name))

/** Returns an attribute without further members, such as a key in another case. */
function keyValueOf(attribute: unknown): { readonly key: string; readonly value: unknown } {
  if (!isRecord(attribute) || typeof attribute['key'] !== 'string') throw malformed()
  return { key: attribute['key'], value: attribute['value'] }
}

/** Makes strings, which OTLP takes in their place, of integers that a floating-point number cannot hold. */
function exactNumbers(_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isChanged = typeof value === 'number' && /^-?\d{16,}$/.test(source) && String(value) !== source
  return isChanged ? source : value
}
