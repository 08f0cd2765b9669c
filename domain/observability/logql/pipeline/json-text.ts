/** The kinds of values in JSON. */
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** The error of a text that is no JSON. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault'
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]
const [colon, comma] = [58, 44]
const token = /[^ \n\r\t,}\]]*/y

/**
 * Reads a text of JSON from its beginning on, as far as it is asked. Text after the value is ignored, and numbers keep the
 * form that they have in the text. Its methods throw `JsonFault` where the text is malformed.
 */
export class JsonText {
  readonly #text: string
  #position: number
  /** The kind and the text of the value that was read last; the text of a string without its quotes and with escapes. */
  kind: JsonKind = 'null'
  raw = ''

  /** Begins at an offset of the text. */
  constructor(text: string, position = 0) {
    this.#text = text
    this.#position = position
  }

  /**
   * Calls back for each member of an object with its name, when `kind` and `raw` are those of its value; ends when the
   * callback returns false.
   */
  members(visit: (name: string) => boolean): void {
    this.#expect(openBrace, 'an object is expected')
    for (;;) {
      if (this.#next() === closeBrace) return
      this.#expect(quote, 'the name of a member is expected')
      const name = unescaped(this.#string())
      if (name === undefined) throw new JsonFault('the name of a member has a malformed escape')
      this.#expect(colon, 'a colon is expected')
      this.value()
      if (!visit(name)) return
      const end = this.#next()
      if (end === closeBrace) return
      this.#expect(comma, 'a comma or the end of the object is expected')
    }
  }

  /** Calls back for each element of an array, as `members` does. */
  elements(visit: (index: number) => boolean): void {
    this.#expect(openBracket, 'an array is expected')
    for (let index = 0; this.#next() !== closeBracket; index += 1) {
      this.value()
      if (!visit(index)) return
      if (this.#next() === closeBracket) return
      this.#expect(comma, 'a comma or the end of the array is expected')
    }
  }

  /** Reads a value. */
  value(): void {
    const code = this.#next()
    if (code === quote) {
      this.#position += 1
      this.raw = this.#string()
      this.kind = 'string'
    } else if (code === openBrace) this.#block(closeBrace, 'object')
    else if (code === openBracket) this.#block(closeBracket, 'array')
    else this.#token()
  }

  #token(): void {
    token.lastIndex = this.#position
    const [text = ''] = token.exec(this.#text) ?? []
    if (text === 'null') this.kind = 'null'
    else if (text === 'true' || text === 'false') this.kind = 'boolean'
    else if (/^[-\d]/.test(text)) this.kind = 'number'
    else throw new JsonFault('a value is malformed')
    this.raw = text
    this.#position += text.length
  }

  /** Skips an object or an array to its end. */
  #block(close: number, kind: 'array' | 'object'): void {
    const start = this.#position
    const open = this.#text.charCodeAt(start)
    let depth = 0
    for (let i = start; i < this.#text.length; i += 1) {
      const code = this.#text.charCodeAt(i)
      if (code === quote) i = this.#stringEnd(i + 1)
      else if (code === open) depth += 1
      else if (code === close) {
        depth -= 1
        if (depth > 0) continue
        this.#position = i + 1
        this.raw = this.#text.slice(start, i + 1)
        this.kind = kind
        return
      }
    }
    throw new JsonFault(`the end of an ${kind} is missing`)
  }

  /** Returns the text of a string whose first quote was read, and reads its last one. */
  #string(): string {
    const end = this.#stringEnd(this.#position)
    const text = this.#text.slice(this.#position, end)
    this.#position = end + 1
    return text
  }

  /** Returns the position of the quote that ends a string. */
  #stringEnd(from: number): number {
    for (let end = this.#text.indexOf('"', from); end !== -1; end = this.#text.indexOf('"', end + 1)) {
      let slashes = 0
      while (end - slashes > from && this.#text.charCodeAt(end - slashes - 1) === backslash) slashes += 1
      if (slashes % 2 === 0) return end
    }
    throw new JsonFault('the end of a string is missing')
  }

  #expect(code: number, fault: string): void {
    if (this.#next() !== code) throw new JsonFault(fault)
    this.#position += 1
  }

  /** Skips white space, and returns the code of the character after it; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position)
      if (code !== 32 && (code < 9 || code > 13 || code === 11 || code === 12)) return code
      if (Number.isNaN(code)) return code
      this.#position += 1
    }
  }
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Returns a string of JSON without its escapes; undefined if one is malformed or half of a character. */
export function unescaped(text: string): string | undefined {
  if (!text.includes('\\')) return text
  let isMalformed = false
  const result = text.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]?))/g, (_, code: string | undefined, sign: string) => {
    const character = code === undefined ? escapes[sign] : String.fromCharCode(parseInt(code, 16))
    isMalformed ||= character === undefined
    return character ?? ''
  })
  return isMalformed || !result.isWellFormed() ? undefined : result
}
