import { setMember } from '../runtime/json.ts'
import { quoted } from '../runtime/refusal.ts'
import { Faults, isRecord, own } from '../runtime/validation.ts'
import type { CallableOperation } from './catalogue.ts'
import { CommandError } from './exit-codes.ts'

/** A member of a request body as the command line gives it. */
export interface BodyMember {
  /** The names from the body down to this member. */
  readonly path: readonly string[]
  /** The values as text, in the order of the command line; a repeated key has several. */
  readonly texts: readonly string[]
}

/**
 * Returns the body without leaves, or a copy of the body with the leaves added. Each leaf gets the reading of its texts
 * (text, number, boolean, JSON or list) that causes the fewest faults in the check of the operation. Throws
 * `CommandError` if the body, or a parent of a leaf in the body, is no object.
 */
export function fitBody(
  operation: CallableOperation,
  request: object,
  body: unknown,
  leaves: readonly BodyMember[],
): unknown {
  if (leaves.length === 0) return body
  if (!isRecord(body)) throw new CommandError('--body must be a JSON object where members are given beside it')
  const whole: Record<string, unknown> = structuredClone(body)
  for (const { path, texts } of leaves) put(whole, path, texts.length === 1 ? texts[0] : texts)
  for (const { path, texts } of leaves) {
    const field = path.join('.')
    const scored = readings(texts).map(value => {
      put(whole, path, value)
      return { value, misfit: misfitOf(operation, { ...request, body: whole }, field) }
    })
    // `reduce` keeps the first of equal readings, so the text as typed wins.
    const best = scored.reduce((least, reading) => (reading.misfit < least.misfit ? reading : least))
    put(whole, path, best.value)
  }
  return whole
}

/** Returns the possible readings of the texts, in the order of preference. */
function readings(texts: readonly string[]): readonly unknown[] {
  const scalars = texts.map(scalarOf)
  const [text, scalar] = [texts[0], scalars[0]]
  return texts.length === 1 ? [text, scalar, jsonOf(text ?? ''), [text], [scalar]] : [texts, scalars]
}

/** Returns a number or boolean if the text spells one, else the text. */
function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : text
}

/** Returns the parsed JSON, or the text if it is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Matches the description of a fault about a wrong type. A number that is too small has the right type, so its fault
 * does not match.
 */
const typeFault = /^must be (?:a string|an integer|a number|true or false|a list|an object)$/

/**
 * Returns a score of the faults of a request: 0 without faults, otherwise twice the number of faults, plus 1 if a fault
 * says that `field` has a wrong type.
 */
function misfitOf(operation: CallableOperation, request: object, field: string): number {
  const faults = new Faults()
  if (operation.check(request, faults)) return 0
  const isOfField = (name: string): boolean => name === field || name.startsWith(`${field}[`)
  const isMistyped = faults.list.some(fault => isOfField(fault.field) && typeFault.test(fault.description))
  return 2 * faults.count + (isMistyped ? 1 : 0)
}

/** Sets a member and creates the missing objects on its path. Throws `CommandError` if a parent is no object. */
function put(whole: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) return setMember(whole, name, value)
  const inner = own(whole, name) ?? {}
  if (!isRecord(inner)) throw new CommandError(`${quoted(name)} cannot be a value and have members too`)
  setMember(whole, name, inner)
  put(inner, rest, value)
}
