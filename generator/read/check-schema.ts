import { type Message, messages } from '../diagnostics.ts'
import { patternFault } from './check-pattern.ts'
import type { Checking } from './checking.ts'
import { boundsOf, choicesOf, isNewer, permitsNull, typeOf, typesOf } from './dialect.ts'
import { checkNewerSchema } from './check-newer-schema.ts'
import { fits, jsonTypeFits } from './fits.ts'
import { elements, flag, member, members, numeric, positionOf, text, texts } from './located.ts'
import { own } from './pointer.ts'
import { follow } from './resolve.ts'
import type { Located } from './types.ts'

const types: readonly string[] = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** The formats of JSON Schema and of the OpenAPI registry that authors expect to be checked, but that nothing checks. */
const unchecked: ReadonlySet<string> = new Set(
  `decimal decimal128 idn-email idn-hostname int8 int16 iri iri-reference json-pointer regex relative-json-pointer uint8
  uint16 uint64 uri-reference uri-template`.split(/\s+/),
)

/** Pairs of bounds; the lower bound must not exceed the upper bound. */
const bounds = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const

/** Checks the keywords of one schema, and checks that its default and enum values fit the schema. */
export function checkSchema(at: Located, checking: Checking): void {
  const report = (message: Message, name?: string): void => {
    const pointer = name === undefined ? at.pointer : `${at.pointer}/${name}`
    checking.diagnostics.add(message, at.file.positionOf(pointer))
  }
  for (const type of typesOf(at) ?? [])
    if (!types.includes(type)) report(messages.notOneOf('type', type, isNewer(at) ? [...types, 'null'] : types), 'type')
  if (isNewer(at) && at.file.dialect === '3.0') report(messages.typeNull(), 'type')
  if (typeOf(at) === 'array' && !isNewer(at) && !member(at, 'items')) report(messages.itemsMissing())
  const format = text(at, 'format')
  if (format !== undefined && unchecked.has(format)) report(messages.formatUnchecked(format), 'format')
  for (const name of ['pattern', 'x-key-pattern'] as const) {
    const message = patternFault(text(at, name), { isLeftOut: name === 'pattern' })
    if (message) report(message, name)
  }
  for (const [low, high] of bounds) {
    const from = numeric(at, low) ?? -Infinity
    if (from > (numeric(at, high) ?? Infinity)) report(messages.boundsCrossed(low, high), low)
  }
  const { minimum, maximum } = boundsOf(at)
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) report(...crossed(at))
  if ((numeric(at, 'multipleOf') ?? 1) <= 0) report(messages.multipleOfZero(), 'multipleOf')
  if (flag(at, 'readOnly') && flag(at, 'writeOnly')) report(messages.readAndWriteOnly(), 'writeOnly')
  checkEnum(at, checking)
  checkDefault(at, checking)
  checkDiscriminator(at, checking)
  if (isNewer(at)) checkNewerSchema(at, report)
}

/** Returns the message about bounds of numbers that cross, and the keyword of the lower bound. */
function crossed(at: Located): readonly [Message, string] {
  const isExclusive = (name: string): boolean => numeric(at, name) !== undefined
  const low = isExclusive('exclusiveMinimum') ? 'exclusiveMinimum' : 'minimum'
  return [messages.boundsCrossed(low, isExclusive('exclusiveMaximum') ? 'exclusiveMaximum' : 'maximum'), low]
}

/** The constraints that have no effect next to `enum`. */
const beside = ['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'] as const

function checkEnum(at: Located, { diagnostics }: Checking): void {
  const list = member(at, 'enum') ?? (isNewer(at) ? member(at, 'const') : undefined)
  const values = choicesOf(at)
  if (!list || !values) return
  if (values.length === 0) diagnostics.add(messages.enumEmpty(), positionOf(list))
  const seen = new Set<unknown>()
  for (const element of values) {
    const message = enumFault(element.value, at, seen)
    if (message) diagnostics.add(message, positionOf(element))
    seen.add(element.value)
  }
  for (const name of beside) {
    const constraint = member(at, name)
    if (constraint) diagnostics.add(messages.enumConstraint(name), positionOf(constraint))
  }
  if (!isNewer(at) && permitsNull(at) && !seen.has(null)) diagnostics.add(messages.enumWithoutNull(), positionOf(list))
  const unspecified = text(at, 'x-unspecified')
  if (unspecified !== undefined && !seen.has(unspecified)) {
    diagnostics.add(messages.unspecifiedUnknown(unspecified), positionOf(list))
  }
}

function enumFault(value: unknown, at: Located, seen: ReadonlySet<unknown>): Message | undefined {
  const types = typesOf(at)
  if (seen.has(value)) return messages.enumTwice(value)
  if (value === null && isNewer(at))
    return permitsNull(at) || types === undefined ? undefined : messages.enumType(value, types.join(', '))
  if (value === null) return permitsNull(at) || types === undefined ? undefined : messages.enumNull()
  return types === undefined || types.some(type => jsonTypeFits(type, value))
    ? undefined
    : messages.enumType(value, types.join(', ') || 'null')
}

function checkDefault(at: Located, { loaded, diagnostics }: Checking): void {
  const value = own(at.value, 'default')
  if (value === undefined || fits(loaded, at, value)) return
  diagnostics.add(messages.defaultDoesNotFit(value), at.file.positionOf(`${at.pointer}/default`))
}

function checkDiscriminator(at: Located, { loaded, diagnostics }: Checking): void {
  const discriminator = member(at, 'discriminator')
  const property = text(discriminator, 'propertyName')
  if (!discriminator || property === undefined) return
  for (const [name, target] of members(member(discriminator, 'mapping'))) {
    if (typeof target.value !== 'string') diagnostics.add(messages.wrongType(name, 'text'), positionOf(target))
  }
  for (const branch of [...elements(member(at, 'oneOf')), ...elements(member(at, 'anyOf'))]) {
    const schema = follow(loaded, branch)
    // A branch that is only null needs no property.
    if (typesOf(schema)?.length === 0) continue
    const properties = member(schema ?? branch, 'properties')
    const isPlain = schema && !member(schema, 'allOf') && !member(schema, 'oneOf') && !member(schema, 'anyOf')
    const isThere = properties && member(properties, property) && texts(schema, 'required').includes(property)
    if (isPlain && !isThere) diagnostics.add(messages.discriminatorAbsent(property), positionOf(branch))
  }
}
