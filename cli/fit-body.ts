import { setMember } from '../runtime/json.ts'
import { quoted } from '../runtime/refusal.ts'
import { Faults, isRecord, own } from '../runtime/validation.ts'
import type { Operation } from './catalogue.ts'
import { CommandError } from './exit-codes.ts'

/** A member of a body as it was typed. */
export interface Leaf {
  /** The names on the way to it, its own last. */
  readonly path: readonly string[]
  /** One text for each time that it was given. */
  readonly texts: readonly string[]
}

/**
 * The body with the leaves put into it, each as what its operation declares: a text, a number, true or false, a list. The
 * declared types are those that the operation's own check accepts. `body` stays as it is.
 */
export function fitBody(operation: Operation, request: object, body: unknown, leaves: readonly Leaf[]): unknown {
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
    // Of equals the first: the text as it was typed.
    const best = scored.reduce((least, reading) => (reading.misfit < least.misfit ? reading : least))
    put(whole, path, best.value)
  }
  return whole
}

/** What the texts may mean, the likeliest first. */
function readings(texts: readonly string[]): readonly unknown[] {
  const scalars = texts.map(scalarOf)
  const [text, scalar] = [texts[0], scalars[0]]
  return texts.length === 1 ? [text, scalar, jsonOf(text ?? ''), [text], [scalar]] : [texts, scalars]
}

/** A number or boolean where the text is one, else the text. */
function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : text
}

/** An object, a list or null as JSON; the text where it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Faults that another type would not have; a number that is too small is a number. */
const typeFault = /^must be (?:a string|an integer|a number|true or false|a list|an object)$/

/** How little a request fits while a field has some value: fewer faults count more than that one is of the type. */
function misfitOf(operation: Operation, request: object, field: string): number {
  const faults = new Faults()
  if (operation.check(request, faults)) return 0
  const isOfField = (name: string): boolean => name === field || name.startsWith(`${field}[`)
  const isMistyped = faults.list.some(fault => isOfField(fault.field) && typeFault.test(fault.description))
  return 2 * faults.count + (isMistyped ? 1 : 0)
}

/** Sets a member, making the objects on the way to it. */
function put(whole: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) return setMember(whole, name, value)
  const inner = own(whole, name) ?? {}
  if (!isRecord(inner)) throw new CommandError(`${quoted(name)} cannot be a value and have members too`)
  setMember(whole, name, inner)
  put(inner, rest, value)
}
