import { unescaped } from './json-text.ts'

/** Characters that end keys and values: the space and all below it. */
const isSpace = (code: number): boolean => code <= 32

/** Reads the pairs of keys and values of a line in logfmt. */
export class LogfmtText {
  readonly #line: string
  #position = 0
  key = ''
  value = ''
  /** The last fault of the text; empty for a text without a fault. */
  fault = ''

  constructor(line: string) {
    this.#line = line
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#line.length
  }

  /** Reads the next pair into `key` and `value`; a key may stand alone. Returns false at the end and for a malformed pair. */
  next(): boolean {
    this.key = ''
    this.value = ''
    this.#skip(isSpace)
    if (this.isAtEnd) return false
    const start = this.#position
    this.#skip(code => !isSpace(code) && code !== equals && code !== quote)
    this.key = this.#line.slice(start, this.#position)
    const end = this.#code
    if (end === quote) return this.#fail('a quotation mark in a key')
    if (this.key.includes('\ufffd')) return this.#fail('a malformed key', end === equals)
    if (end !== equals) return true
    if (this.key === '') return this.#fail('a value without a key')
    this.#position += 1
    return this.#code === quote ? this.#quoted() : this.#plain()
  }

  #plain(): boolean {
    const start = this.#position
    this.#skip(code => !isSpace(code) && code !== equals && code !== quote)
    if (this.#code === equals || this.#code === quote)
      return this.#fail('an equals sign or a quotation mark in a value')
    this.value = this.#line.slice(start, this.#position)
    return true
  }

  #quoted(): boolean {
    const start = this.#position + 1
    let hasEscapes = false
    for (let end = start; end < this.#line.length; end += 1) {
      const code = this.#line.charCodeAt(end)
      if (code === backslash) {
        hasEscapes = true
        end += 1
      } else if (code === quote) {
        this.#position = end + 1
        return this.#unquote(this.#line.slice(start, end), hasEscapes)
      }
    }
    this.#position = this.#line.length
    return this.#fail('a quoted value without an end', false)
  }

  #unquote(text: string, hasEscapes: boolean): boolean {
    const value = hasEscapes ? unquoted(text) : text
    if (value === undefined) return this.#fail('a quoted value with a malformed escape', false)
    this.value = value
    return true
  }

  /** Notes a fault, and skips the rest of the pair. */
  #fail(fault: string, skips = true): false {
    this.fault = `${fault} at position ${this.#position}`
    if (skips) this.#skip(code => !isSpace(code))
    return false
  }

  get #code(): number {
    return this.#line.charCodeAt(this.#position)
  }

  #skip(isSkipped: (code: number) => boolean): void {
    while (this.#position < this.#line.length && isSkipped(this.#code)) this.#position += 1
  }
}

const [quote, backslash, equals] = [34, 92, 61]

/** Returns a quoted value without its escapes, which are those of JSON and `\'`; undefined if it is malformed. */
function unquoted(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f]/.test(text)) return undefined
  return unescaped(text.replace(/\\([\s\S])/g, (escape, sign) => (sign === "'" ? "'" : escape)))
}
