import { ScannerFault } from '../../../domain/registry/scanning/external-scanner.ts'
import { parseJson } from '../../../runtime/json.ts'

/** The most bytes of one value: of a member of a report, or of an item of its list. */
const longestValue = 262_144

/** How deep the values of an answer may nest: deeper values take long to read, and much memory. */
export const maxDepth = 100

/** A part of a report: the value of a member, or one item of the list. */
export interface ReportPart {
  readonly member: string
  readonly isItem: boolean
  readonly value: unknown
}

/**
 * Yields the members of a JSON object in UTF-8, each with its value, in the order of the text. A list in the member `list` is
 * yielded as an empty list, and then its items one by one, so that no more than one of them is in memory. Throws a
 * `ScannerFault` for another form and for a value of more than 256 KiB.
 */
export function* reportParts(bytes: Uint8Array, list: string): Generator<ReportPart> {
  const cursor = new Cursor(bytes)
  cursor.expect('{')
  for (let isFirst = true; !cursor.take('}'); isFirst = false) {
    if (!isFirst) cursor.expect(',')
    const member = cursor.text()
    cursor.expect(':')
    const isList = member === list && cursor.take('[')
    yield { member, isItem: false, value: isList ? [] : cursor.value() }
    if (isList) yield* itemsOf(cursor, member)
  }
  cursor.expectEnd()
}

function* itemsOf(cursor: Cursor, member: string): Generator<ReportPart> {
  for (let isFirst = true; !cursor.take(']'); isFirst = false) {
    if (!isFirst) cursor.expect(',')
    yield { member, isItem: true, value: cursor.value() }
  }
}

/** Returns the fault of an answer that is not a JSON object. */
export const noObject = (): ScannerFault => new ScannerFault('the answer of the scanner is no JSON object')

const space = new Set([...' \t\n\r'].map(codeOf))
const [quote, backslash, comma] = [codeOf('"'), codeOf('\\'), codeOf(',')]
const openings = new Set([...'{['].map(codeOf))
const closings = new Set([...'}]'].map(codeOf))

function codeOf(character: string): number {
  return character.charCodeAt(0)
}

/** A place in JSON text. All functions skip white space first. */
class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const hasMark = whole.toString('latin1', 0, 3) === '\xef\xbb\xbf'
    this.#bytes = hasMark ? whole.subarray(3) : whole
  }

  /** Takes a character if it is the next one; returns whether it is. */
  take(character: string): boolean {
    this.#skipSpace()
    const isNext = this.#bytes[this.#at] === codeOf(character)
    if (isNext) this.#at += 1
    return isNext
  }

  expect(character: string): void {
    if (!this.take(character)) throw noObject()
  }

  expectEnd(): void {
    this.#skipSpace()
    if (this.#at < this.#bytes.length) throw noObject()
  }

  text(): string {
    const value = this.value()
    if (typeof value !== 'string') throw noObject()
    return value
  }

  value(): unknown {
    this.#skipSpace()
    const start = this.#at
    this.#at = this.#endOfValue(start)
    if (this.#at - start > longestValue)
      throw new ScannerFault(`a value of the report of the scanner has more than ${longestValue} bytes`)
    try {
      return parseJson(this.#bytes.toString('utf8', start, this.#at), maxDepth)
    } catch {
      throw noObject()
    }
  }

  #skipSpace(): void {
    while (space.has(this.#bytes[this.#at] ?? 0)) this.#at += 1
  }

  /** Returns the place behind the value at `start`, which may be malformed; a place in it if it is too long. */
  #endOfValue(start: number): number {
    let depth = 0
    let at = start
    for (; at < this.#bytes.length && at - start <= longestValue; at += 1) {
      const byte = this.#bytes[at] ?? 0
      if (byte === quote) at = this.#endOfString(at)
      else if (openings.has(byte)) depth += 1
      else if (depth === 0 && (byte === comma || space.has(byte) || closings.has(byte))) return at
      else if (closings.has(byte)) depth -= 1
      if (depth === 0 && (byte === quote || closings.has(byte))) return at + 1
    }
    return at
  }

  /** Returns the place of the quotation mark that ends the string at `start`; the length of the text if there is none. */
  #endOfString(start: number): number {
    for (let at = start + 1; at < this.#bytes.length; at += 1) {
      if (this.#bytes[at] === backslash) at += 1
      else if (this.#bytes[at] === quote) return at
    }
    return this.#bytes.length
  }
}
