import type { Json, Schema } from '../model/types.ts'
import { keeps, textExample, type TextRules } from './example-text.ts'
import { formatOf } from './formats.ts'
import { boundsOf } from './judge.ts'
import { expressionOf } from '../pattern.ts'
import { textFor } from './pattern/text.ts'
import type { Shape } from './shape.ts'
import type { BreakKind } from './break-kind.ts'

/** A value that breaks one constraint of a scalar schema. */
interface ScalarBreak {
  readonly kind: BreakKind
  readonly what: string
  readonly value: Json
}

type Of<Kind extends Schema['kind']> = Extract<Shape, { kind: Kind }>

/**
 * The maximal length of a text of a test in characters. A longer text could exceed the limit of a request body, and the
 * server would report that limit first.
 */
const maxText = 200_000

/**
 * Returns a value for each constraint of a text, number, boolean or enum, with this constraint broken; none for other
 * schemas.
 */
export function scalarBreaks(shape: Shape): readonly ScalarBreak[] {
  switch (shape.kind) {
    case 'string':
      return [...typeBreak(shape, 'a number instead of text', 7), ...textBreaks(shape)]
    case 'number':
      return [...typeBreak(shape, 'text instead of a number', 'text'), ...numberBreaks(shape)]
    case 'boolean':
      return typeBreak(shape, 'text instead of true or false', 'text')
    case 'enum':
      return enumBreaks(shape)
    default:
      return []
  }
}

/** Returns at most one name that the pattern of a map's names refuses; empty without a pattern. */
export const keyBreaks = (pattern: string | undefined): readonly string[] =>
  pattern === undefined ? [] : mismatches({ pattern }).slice(0, 1)

const typeBreak = (shape: Shape, what: string, value: Json): readonly ScalarBreak[] =>
  shape.implied ? [] : [{ kind: 'type', what, value }]

const broken = (what: string, value: Json | undefined): readonly ScalarBreak[] =>
  value === undefined ? [] : [{ kind: 'value', what, value }]

function textBreaks(rules: TextRules): readonly ScalarBreak[] {
  const { format, maxLength = Infinity, minLength = 0, pattern } = rules
  const invalid = (formatOf(format)?.broken ?? []).filter(text => !formatOf(format)?.isValid(text))
  const { format: _apart, ...others } = rules
  return [
    ...(minLength > 0 ? broken(`shorter than ${minLength} characters`, sized(minLength - 1, rules)) : []),
    ...(maxLength < maxText ? broken(`longer than ${maxLength} characters`, sized(maxLength + 1, rules)) : []),
    ...(pattern === undefined ? [] : broken(`not matching ${pattern}`, mismatches(rules)[0])),
    ...(invalid.length === 0 ? [] : broken(`no ${format}`, invalid.find(text => keeps(text, others)) ?? invalid[0])),
  ]
}

/** Returns a text of the given length, which keeps the other rules if possible. */
function sized(length: number, { format, pattern }: TextRules): string {
  const others = { ...(format !== undefined && { format }), ...(pattern !== undefined && { pattern }) }
  const kept = textExample({ ...others, minLength: length, maxLength: length })
  const matching = pattern === undefined ? undefined : textFor(pattern, length)
  return kept ?? (matching?.length === length ? matching : 'x'.repeat(length))
}

const unusualTexts = ['A', 'a b', '!', '-', '0', 'a', '~~~', 'ä', '\u0001', 'a\u0001b', ''] as const

/** Returns texts that a pattern refuses, sorted so that texts that keep the other rules come first. */
function mismatches(rules: TextRules): readonly string[] {
  const pattern = expressionOf(rules.pattern ?? '')
  const valid = textExample(rules) ?? ''
  const texts = [
    ...(formatOf(rules.format)?.valid ?? []),
    ...unusualTexts,
    valid.toUpperCase(),
    `${valid}!`,
    `${valid} `,
  ]
  const refused = texts.filter(text => pattern?.test(text) === false)
  const { pattern: _apart, ...others } = rules
  return [...refused.filter(text => keeps(text, others)), ...refused]
}

function numberBreaks(shape: Of<'number'>): readonly ScalarBreak[] {
  const { low, high } = boundsOf(shape)
  const { exclusiveMaximum, exclusiveMinimum, integer, multipleOf } = shape
  const inside = Number.isFinite(low) ? low : Number.isFinite(high) ? high - 1 : 0
  const between = inside + (multipleOf ?? 1) / 2
  const isFraction = !Number.isInteger(between) && between <= high
  return [
    ...(Number.isFinite(low) ? broken(`below ${low}`, beyond(low, -1)) : []),
    ...(Number.isFinite(high) ? broken(`above ${high}`, beyond(high, 1)) : []),
    ...(exclusiveMinimum ? broken(`not above ${low}`, low) : []),
    ...(exclusiveMaximum ? broken(`not below ${high}`, high) : []),
    ...(integer && isFraction ? broken('no integer', between) : []),
    ...(multipleOf !== undefined ? broken(`no multiple of ${multipleOf}`, between) : []),
  ]
}

/**
 * Returns a number beyond a bound in a direction: 1 away, or the smallest power of two that changes the bound. Doubles
 * beyond 2^53 are more than 1 apart.
 */
function beyond(bound: number, direction: 1 | -1): number {
  let step: number = direction
  while (bound + step === bound) step *= 2
  return bound + step
}

function enumBreaks(shape: Of<'enum'>): readonly ScalarBreak[] {
  const [first] = shape.values
  const { unspecified } = shape
  const isText = typeof first === 'string'
  const numbers = shape.values.filter(value => typeof value === 'number')
  const unknown = isText ? `${first}_NOT_DECLARED` : typeof first === 'number' ? Math.max(...numbers) + 1 : undefined
  return [
    ...typeBreak(shape, isText ? 'a number instead of text' : 'text instead of a value', isText ? 7 : 'text'),
    ...broken('a value the enum lacks', unknown),
    ...(unspecified === undefined ? [] : broken('the value that stands for none', unspecified)),
  ]
}
