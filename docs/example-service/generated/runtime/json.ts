// Copied by ninefold. Do not edit: generate writes it again.

import type { JsonForm } from './parameters/types.ts'
import type { AnswerCodec } from './media.ts'

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

declare const described: unique symbol

/**
 * JSON text that describes a `T`, such as a stored text that is answered without parsing. Code that makes a `JsonText`
 * ensures that the text describes a `T`.
 */
export class JsonText<out T> {
  declare readonly [described]?: T
  /** The text, or its bytes in UTF-8. */
  readonly data: string | Uint8Array<ArrayBuffer>
  constructor(data: string | Uint8Array<ArrayBuffer>) {
    this.data = data
  }
  get text(): string {
    return typeof this.data === 'string' ? this.data : new TextDecoder().decode(this.data)
  }
}

/** The result of a handler: the value, or its stored text. */
export type Answer<T> = T | JsonText<T>

/** Sets an own member of any name, `__proto__` included. */
export function setMember<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

/** The usual form of JSON. */
export const plainJson: JsonForm = {
  parse: (text, maxDepth) => parseJson(text, maxDepth),
  write: value => JSON.stringify(value),
}

/**
 * Returns the value of JSON text; the last value of a repeated member counts. Throws `SyntaxError` for malformed text,
 * and for lists and objects that are nested deeper than `maxDepth`. `revive` changes the values as that of `JSON.parse` does.
 */
export function parseJson(text: string, maxDepth: number, revive?: (name: string, value: unknown) => unknown): unknown {
  if (isDeeper(text, maxDepth)) throw new SyntaxError(`must be nested at most ${maxDepth} deep`)
  try {
    return JSON.parse(text, revive)
  } catch {
    throw new SyntaxError('must be valid JSON')
  }
}

/**
 * Whether lists and objects in JSON text are nested deeper than `maxDepth`. The limit allows later code to recurse over
 * the value.
 */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') index = endOfString(text, index)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

/** Returns the index of the quotation mark that ends a string; at least the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  if (text[quote - 1] !== '\\') return quote === -1 ? text.length : quote
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

/**
 * The codec of answers with 64-bit integers. A client throws `SyntaxError` for an integer that a number can only hold as
 * another integer, because its caller would take one row for another.
 */
export const exactJson: AnswerCodec = {
  name: 'exact',
  write: value => JSON.stringify(value),
  async readAnswer(body) {
    const text = await new Response(body).text()
    return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  },
}

/** Returns a parsed value. Engines of before 2025 give no source text, and change integers without a word. */
function exact(_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isLong = typeof value === 'number' && /^-?\d{16,}$/.test(source)
  if (!isLong || String(value) === source || BigInt(value) === BigInt(source)) return value
  throw new SyntaxError(`the integer ${source.slice(0, 80)} is beyond 2^53, where numbers cannot tell integers apart`)
}
