/**
 * A token of TypeScript; `breaks` is the number of line ends before the token, because the layout keeps some line
 * breaks.
 */
export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'expression' | 'comment' | 'mark' | 'end'
  readonly text: string
  readonly breaks: number
}

/**
 * Matches one token: a comment, a string literal, a template literal type, a regular expression, a name, a number, or
 * punctuation.
 */
const token =
  /\/\*[^]*?\*\/|\/\/[^\n]*|\/(?:[^\\\n/[]|\\[^\n]|\[(?:[^\\\n\]]|\\[^\n])*\])+\/[a-z]*|'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*"|`(?:[^`\\\n]|\\[^\n])*`|#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*|-?\d[\w.]*(?:(?<=e)-\d+)?|=>|\?\?=|[{}[\]()<>:;,.?|&=]/uy

const end: Token = { kind: 'end', text: '', breaks: 0 }

/** The tokens of a text, read on demand. Throws an `Error` for text that is no code of built-in templates. */
export class Tokens {
  readonly #text: string
  /** The offset in the text of the first unread character. */
  #at = 0
  /** The tokens that were read ahead and not yet taken, in their order. */
  readonly #ahead: Token[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the token that is `ahead` tokens after the next token, without taking it. */
  peek(ahead = 0): Token {
    while (this.#ahead.length <= ahead) this.#ahead.push(this.#read())
    return this.#ahead[ahead] ?? end
  }

  next(): Token {
    return this.#ahead.shift() ?? this.#read()
  }

  /** Whether the next token has this text. */
  is(text: string): boolean {
    return this.peek().text === text
  }

  /** Takes the next token if it has this text, and returns whether it took the token. */
  accept(text: string): boolean {
    const isNext = this.is(text)
    if (isNext) this.#ahead.shift()
    return isNext
  }

  /** Takes the next token. Throws an `Error` if the token has another text. */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`'${text}'`)
  }

  /** Reads items up to the token `closing`, with separators between the items and optionally after the last item. */
  list<T>(separators: readonly string[], closing: string, item: () => T): readonly T[] {
    const items: T[] = []
    while (!this.accept(closing)) {
      items.push(item())
      const isSeparated = separators.some(separator => this.accept(separator))
      if (!isSeparated && !separators.includes('')) {
        this.expect(closing)
        break
      }
    }
    return items
  }

  unexpected(wanted: string): Error {
    const around = this.#text.slice(Math.max(0, this.#at - 80), this.#at)
    return new Error(`a template made code that cannot be laid out: ${wanted} expected at the end of ${around}`)
  }

  #read(): Token {
    const breaks = this.#skipBlanks()
    const from = this.#at
    if (from === this.#text.length) return end
    token.lastIndex = from
    // A test makes no list of the match, as `exec` does for each token.
    if (!token.test(this.#text)) {
      throw new Error(`a template made code that cannot be laid out: ${this.#text.slice(from, from + 80)}`)
    }
    this.#at = token.lastIndex
    const text = this.#text.slice(from, this.#at)
    return { kind: kindOf(text), text, breaks }
  }

  /** Moves past blanks, and returns the number of line ends among them. */
  #skipBlanks(): number {
    let breaks = 0
    for (; ; this.#at += 1) {
      const character = this.#text[this.#at]
      if (character === '\n') breaks += 1
      else if (character !== ' ' && character !== '\t') return breaks
    }
  }
}

function kindOf(text: string): Token['kind'] {
  const first = text.slice(0, 1)
  if (quotes.includes(first)) return 'text'
  if (marks.includes(first)) return 'mark'
  if (numeric.includes(first)) return 'number'
  if (first !== '/') return 'word'
  return text[1] === '/' || text[1] === '*' ? 'comment' : 'expression'
}

const quotes = '\'"`'
const marks = '{}[]()<>:;,.?|&='
const numeric = '-0123456789'
