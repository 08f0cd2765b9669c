import type { Attributes, AttributeScalar, AttributeValue } from '../../../../output/observability/types.ts'
import { invalidPayload } from '../payload-faults.ts'
import type { AnyValue, KeyValue } from './common-messages.ts'

/** The largest depth of lists and maps in a value. */
const maxDepth = 32

/** The error of attributes with more characters than a reader of attributes may read. */
export class TooManyCharacters extends Error {
  override readonly name = 'TooManyCharacters'
}

/** A value of JSON. */
type Plain = AttributeScalar | readonly Plain[] | { readonly [key: string]: Plain }

/** Reads attributes for answers, up to a number of characters of keys and texts. */
export class AttributeReader {
  #left: number

  constructor(maxCharacters: number) {
    this.#left = maxCharacters
  }

  /**
   * Returns attributes by their keys; of a key that is sent twice, the last value. Throws `TooManyCharacters`, and
   * PAYLOAD_INVALID for values of more than 32 levels.
   */
  read(attributes: Iterable<KeyValue>): Attributes {
    const values: [string, AttributeValue][] = []
    for (const { key = '', value } of attributes) values.push([this.text(key), this.#value(value)])
    return Object.fromEntries(values)
  }

  /**
   * Returns a value: integers beyond 2^53 and numbers that JSON lacks are texts, bytes are base64, an empty value is an
   * empty text, and maps and lists within lists are texts of JSON. Throws as `read`.
   */
  #value(value: AnyValue | undefined): AttributeValue {
    const plain = this.#plain(value, 0)
    if (typeof plain !== 'object') return plain
    return isList(plain) ? plain.map(scalarOf) : JSON.stringify(plain)
  }

  /** Counts a text. Throws `TooManyCharacters`. */
  text(text: string): string {
    this.#left -= text.length + 1
    if (this.#left < 0) throw new TooManyCharacters()
    return text
  }

  #plain(value: AnyValue | undefined, depth: number): Plain {
    if (depth > maxDepth) throw invalidPayload(`has a value of more than ${maxDepth} levels`)
    if (value?.arrayValue) return this.#list(value.arrayValue.values, depth)
    if (value?.kvlistValue) return this.#map(value.kvlistValue.values, depth)
    return this.#scalar(value)
  }

  #list(values: Iterable<AnyValue>, depth: number): readonly Plain[] {
    const list: Plain[] = []
    for (const element of values) list.push(this.#plain(element, depth + 1))
    return list
  }

  #map(values: Iterable<KeyValue>, depth: number): { readonly [key: string]: Plain } {
    const members: [string, Plain][] = []
    for (const { key = '', value } of values) members.push([this.text(key), this.#plain(value, depth + 1)])
    return Object.fromEntries(members)
  }

  #scalar(value: AnyValue | undefined): AttributeScalar {
    if (value?.boolValue !== undefined) return value.boolValue
    if (value?.intValue !== undefined) return integerOf(value.intValue)
    if (value?.doubleValue !== undefined)
      return Number.isFinite(value.doubleValue) ? value.doubleValue : String(value.doubleValue)
    return this.text(value?.stringValue ?? value?.bytesValue ?? '')
  }
}

const isList = (plain: object): plain is readonly Plain[] => Array.isArray(plain)

const scalarOf = (plain: Plain): AttributeScalar => (typeof plain === 'object' ? JSON.stringify(plain) : plain)

function integerOf(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}
