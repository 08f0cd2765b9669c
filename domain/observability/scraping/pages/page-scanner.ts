import { PageFault } from './page-entries.ts'

const [newline, quote, backslash] = [0x0a, 0x22, 0x5c]

/** Matches the name of a metric without quotes. */
const metricName = /[a-zA-Z_:][a-zA-Z0-9_:]*/y

/** Matches a run of blanks. */
const blanks = /[ \t]*/y

/** A position in a page, from which pieces are taken. */
export class PageScanner {
  readonly #text: string
  /** Whether bytes of the page were no UTF-8; U+FFFD stands for such bytes. */
  readonly #isDamaged: boolean
  #at = 0

  constructor(text: string, isDamaged: boolean) {
    this.#text = text
    this.#isDamaged = isDamaged
  }

  /** The character at the position; empty at the end of the page, which a NUL character ends too. */
  get next(): string {
    const character = this.#text.charAt(this.#at)
    return character === '\0' ? '' : character
  }

  /** Takes the text that a sticky pattern matches; undefined if it does not match here. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return undefined
    const taken = this.#text.slice(this.#at, pattern.lastIndex)
    this.#at = pattern.lastIndex
    return taken
  }

  /** Takes a text if it stands here. */
  takes(text: string): boolean {
    const isHere = this.isAt(text)
    if (isHere) this.#at += text.length
    return isHere
  }

  /** Whether a text stands here. */
  isAt(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }

  skipBlanks(): void {
    this.take(blanks)
  }

  /** Takes the rest of the line; the end of the line stays. */
  takeRest(): string {
    const end = this.#text.indexOf('\n', this.#at)
    const rest = this.#text.slice(this.#at, end === -1 ? undefined : end)
    this.#at += rest.length
    return rest
  }

  /** Takes a metric name with or without quotes. */
  takeName(): string | undefined {
    return this.next === '"' ? this.takeQuoted() : this.take(metricName)
  }

  /**
   * Takes a quoted text and returns it without its escapes; `\\`, `\"` and `\n` are escapes. With `inLine`, the text ends
   * in the line in which it begins.
   */
  takeQuoted({ inLine = false }: { readonly inLine?: boolean } = {}): string | undefined {
    if (this.next !== '"') return undefined
    const end = this.#endOfQuoted(inLine)
    if (end === undefined) return undefined
    const text = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    this.requireUtf8(text)
    return unescaped(text)
  }

  /** Throws a fault for a text with bytes that were no UTF-8. */
  requireUtf8(text: string): void {
    if (this.#isDamaged && text.includes('\ufffd')) throw this.fault('the text must be UTF-8')
  }

  /** Returns the fault of the line at the position. */
  fault(sentence: string): PageFault {
    let line = 1
    for (let at = this.#text.indexOf('\n'); at !== -1 && at < this.#at; at = this.#text.indexOf('\n', at + 1)) line += 1
    return new PageFault(`line ${line} of the page: ${sentence}`)
  }

  #endOfQuoted(inLine: boolean): number | undefined {
    for (let i = this.#at + 1; i < this.#text.length; i += 1) {
      const code = this.#text.charCodeAt(i)
      if (code === quote) return i
      if (code === newline && inLine) return undefined
      if (code !== backslash) continue
      i += 1
      if (this.#text.charCodeAt(i) === newline) return undefined
    }
    return undefined
  }
}

/** Returns a text in which `\\`, `\"` and `\n` are replaced; other backslashes stay. */
export const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\([\\"n])/g, (_, escape: string) => (escape === 'n' ? '\n' : escape)) : text
