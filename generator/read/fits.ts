import { boundsOf, choicesOf, isExtended, isNewer, permitsNull, typesOf } from './dialect.ts'
import { elements, member, members, numeric, texts } from './located.ts'
import { isRecord, own } from './pointer.ts'
import { follow, referenceOf } from './resolve.ts'
import type { Loaded, Located } from './types.ts'

/** Whether a value is of a `type` of OpenAPI 3.0. An unknown type accepts every value. */
export function jsonTypeFits(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    default:
      return true
  }
}

/**
 * The number of steps that one judgement may still take. Documents are untrusted, and nested branches could multiply
 * the work.
 */
interface Budget {
  steps: number
}

const maxSteps = 10_000
const maxDepth = 64

/**
 * Whether a value of the document, such as a default, fits its schema by type, enum, bounds, items, properties and
 * branches. Patterns are not checked, because an untrusted pattern may match forever. A value passes when the budget of
 * steps is spent.
 */
export const fits = (loaded: Loaded, at: Located, value: unknown): boolean =>
  judged(loaded, at, value, { steps: maxSteps }, 0)

function judged(loaded: Loaded, at: Located, value: unknown, budget: Budget, depth: number): boolean {
  if (referenceOf(at.value) === undefined || !isExtended(at)) return judgedBy(loaded, at, value, budget, depth)
  const { $ref, ...beside } = isRecord(at.value) ? at.value : {}
  return [{ $ref }, beside].every(part => judgedBy(loaded, { ...at, value: part }, value, budget, depth))
}

function judgedBy(loaded: Loaded, at: Located, value: unknown, budget: Budget, depth: number): boolean {
  const schema = follow(loaded, at)
  if (!schema || --budget.steps < 0 || depth > maxDepth) return true
  if (schema.value === false) return false
  if (value === null && !isNewer(schema)) return isNullable(loaded, at)
  const types = typesOf(schema)
  const isTyped = value === null ? permitsNull(schema) : types?.some(type => jsonTypeFits(type, value))
  if (types && !isTyped) return false
  const choices = choicesOf(schema)
  if (choices && typeof value !== 'object' && !choices.some(choice => choice.value === value)) return false
  const inner: Judge = (part, of) => judged(loaded, part, of, budget, depth + 1)
  return (
    boundsFit(schema, value) &&
    partsFit(schema, value, inner) &&
    elements(member(schema, 'allOf')).every(branch => inner(branch, value)) &&
    someFits(schema, 'oneOf', value, inner) &&
    someFits(schema, 'anyOf', value, inner)
  )
}

type Judge = (at: Located, value: unknown) => boolean

/**
 * Whether a schema allows null. A schema allows null by `nullable` on the schema or next to its reference, by its enum,
 * or because it restricts no type.
 */
export function isNullable(loaded: Loaded, at: Located): boolean {
  if (permitsNull(at)) return true
  const schema = follow(loaded, at)
  const choices = schema && choicesOf(schema)
  const isListed = choices?.some(({ value }) => value === null) ?? false
  return (schema !== undefined && permitsNull(schema)) || isListed || isUntyped(schema)
}

const isUntyped = (schema: Located | undefined): boolean =>
  !['type', 'enum', 'allOf', 'oneOf', 'anyOf', 'properties', 'items'].some(
    name => own(schema?.value, name) !== undefined,
  )

function someFits(schema: Located, keyword: 'oneOf' | 'anyOf', value: unknown, judge: Judge): boolean {
  const branches = elements(member(schema, keyword))
  return branches.length === 0 || branches.some(branch => judge(branch, value))
}

function boundsFit(schema: Located, value: unknown): boolean {
  const between = (size: number, low: string, high: string): boolean =>
    size >= (numeric(schema, low) ?? -Infinity) && size <= (numeric(schema, high) ?? Infinity)
  if (typeof value === 'string') return between([...value].length, 'minLength', 'maxLength')
  if (Array.isArray(value)) return between(value.length, 'minItems', 'maxItems')
  if (typeof value !== 'number') return true
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = boundsOf(schema)
  if ((exclusiveMinimum && value === minimum) || (exclusiveMaximum && value === maximum)) return false
  return value >= minimum && value <= maximum
}

function partsFit(schema: Located, value: unknown, judge: Judge): boolean {
  if (Array.isArray(value)) {
    const items = member(schema, 'items')
    const prefix = elements(isNewer(schema) ? member(schema, 'prefixItems') : undefined)
    return value.every((item: unknown, i) => {
      const part = prefix[i] ?? items
      return !part || judge(part, item)
    })
  }
  if (!isRecord(value)) return true
  if (texts(schema, 'required').some(name => !Object.hasOwn(value, name))) return false
  return members(member(schema, 'properties')).every(
    ([name, property]) => !Object.hasOwn(value, name) || judge(property, value[name]),
  )
}
