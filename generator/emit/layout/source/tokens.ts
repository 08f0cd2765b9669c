/** A piece of TypeScript; `breaks` is how many line ends stand before it, since layout honours some of them. */
export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'comment' | 'mark' | 'end'
  readonly text: string
  readonly breaks: number
}

/** One token: a comment, a string literal, a name, a number, or punctuation. */
const token =
  /(?<comment>\/\*[^]*?\*\/|\/\/[^\n]*)|(?<text>'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*")|(?<word>#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)|(?<number>-?\d[\w.]*(?:(?<=e)-\d+)?)|=>|\?\?=|[{}[\]()<>:;,.?|&=]/uy

const blank = /[ \t\n]*/y

/** The tokens of a text, from the first to the last. Throws on what is no code that templates make. */
export class Tokens {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  /** The token that comes next, or one further on. */
  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? end
  }

  next(): Token {
    const next = this.peek()
    this.#at += 1
    return next
  }

  /** Whether the next token is this one. */
  is(text: string): boolean {
    return this.peek().text === text
  }

  /** Takes the next token if it is this one. */
  accept(text: string): boolean {
    const isNext = this.is(text)
    if (isNext) this.#at += 1
    return isNext
  }

  /** Takes the next token, which must be this one. */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`'${text}'`)
  }

  /** Takes items up to a closing mark; a separator stands between them, and may behind the last. */
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
    const found = this.#tokens.slice(Math.max(0, this.#at - 8), this.#at + 8).map(({ text }) => text)
    return new Error(`a template made code that cannot be laid out: ${wanted} expected in ${found.join(' ')}`)
  }
}

const end: Token = { kind: 'end', text: '', breaks: 0 }

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; ; at = token.lastIndex) {
    blank.lastIndex = at
    const space = blank.exec(text)?.[0] ?? ''
    token.lastIndex = blank.lastIndex
    if (token.lastIndex === text.length) return tokens
    const match = token.exec(text)
    if (!match) throw new Error(`a template made code that cannot be laid out: ${text.slice(at, at + 80)}`)
    tokens.push({ kind: kindOf(match.groups), text: match[0], breaks: space === '' ? 0 : space.split('\n').length - 1 })
  }
}

function kindOf(groups: RegExpExecArray['groups']): Token['kind'] {
  if (groups?.['word'] !== undefined) return 'word'
  if (groups?.['text'] !== undefined) return 'text'
  if (groups?.['number'] !== undefined) return 'number'
  return groups?.['comment'] !== undefined ? 'comment' : 'mark'
}
