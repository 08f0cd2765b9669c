// Copied by ninefold. Do not edit: generate writes it again.

/** The remedy for each kind of syntax fault in a filter. */
const hints = {
  expected_expression: 'write a comparison such as field = value here',
  expected_argument: 'write a value here; keywords and blanks need quotes',
  expected_field: 'write a field name after the dot',
  unexpected_token: 'use AND or OR between comparisons, and quotes around special characters',
  unexpected_char: 'put this character in quotes; "not equal" is !=',
  unterminated_string: 'close the quote',
  bad_escape: 'write one of \\\\ \\" \\\' \\* \\n \\r \\t \\b \\f \\uXXXX',
  unclosed_paren: 'close the parenthesis',
  double_negation: 'negate once, or use parentheses',
  keyword_needs_space: 'put blanks around AND, OR and NOT',
  limit_exceeded: 'shorten it: at most 4096 characters, 64 comparisons, parentheses 64 deep',
} as const

/** A filter with a syntax fault. `position` is the 0-based UTF-16 offset of the fault. */
export class FilterSyntaxError extends Error {
  override readonly name = 'FilterSyntaxError'
  readonly kind: keyof typeof hints
  readonly position: number

  constructor(kind: keyof typeof hints, position: number) {
    super(`${kind.replaceAll('_', ' ')}, ${hints[kind]}`)
    this.kind = kind
    this.position = position
  }
}

/** Whether a UTF-16 unit is a blank: a space, a tab or the end of a line. */
const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d

/** Matches a whole timestamp or a word without dots, a string, a comparator, a mark, or the end. */
const token =
  /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)|[^\0- \x7f=<>!:(),."'-][^\0- \x7f=<>!:(),."']*|"(?:[^"\\\0]|\\[^])*"|'(?:[^'\\\0]|\\[^])*'|[<>]=?|!=|[=:]|[-.,()]|$/y

type Kind = 'word' | 'string' | 'comparator' | 'mark' | 'end'

const begins = (kind: Kind, characters: string) => Array.from(characters, character => [character, kind] as const)

/** The kinds of tokens, keyed by their first character; other tokens are words. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['', 'end'],
  ...begins('string', `"'`),
  ...begins('mark', '-.,()'),
  ...begins('comparator', '<>!=:'),
])

const keywords: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT'])

/** Reads one token at a time; the members describe the current token. */
export class Lexer {
  readonly text: string
  kind: Kind = 'end'
  /** The token as written, a string with its quotes; empty at the end. */
  token = ''
  at = 0
  /** The end of the previous token. */
  before = 0
  /** Whether a blank, or the beginning of the text, precedes the token. */
  spaced = true

  constructor(text: string) {
    this.text = text
    this.next()
    this.spaced = true
  }

  /** Reads the next token. Throws `FilterSyntaxError` if the text has no valid token here. */
  next(): void {
    const { text } = this
    this.before = this.at + this.token.length
    this.at = this.before
    while (isBlank(text.charCodeAt(this.at))) this.at += 1
    this.spaced = this.at > this.before
    token.lastIndex = this.at
    if (!token.test(text)) throw this.#unreadable()
    this.token = text.slice(this.at, token.lastIndex)
    this.kind = kinds.get(this.token.charAt(0)) ?? 'word'
  }

  /** Whether the token is this mark or keyword; `''` stands for the end. */
  is(token: string): boolean {
    return this.token === token
  }

  /** Whether the token can begin a value: a string, or a word that is no keyword. */
  startsValue(): boolean {
    return this.kind === 'string' || (this.kind === 'word' && !keywords.has(this.token))
  }

  #unreadable(): FilterSyntaxError {
    const { at } = this
    const nul = this.text.indexOf('\0', at)
    if (this.text[at] !== '"' && this.text[at] !== "'") return new FilterSyntaxError('unexpected_char', at)
    return nul < 0 ? new FilterSyntaxError('unterminated_string', at) : new FilterSyntaxError('unexpected_char', nul)
  }
}

/**
 * Matches the parts of a string: a wildcard, an escape, or plain text. Escapes for U+0000 and unpaired surrogates are
 * refused, because no stored text has these characters.
 */
const part =
  /(\*)|\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|\\u((?!0000|[dD][89a-fA-F])[\da-fA-F]{4})|\\([\\"'*nrtbf])|\\|[^*\\]+/g

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * Returns the unescaped texts of a string token between its wildcards. `at` is the position of the token in the filter.
 * Throws `FilterSyntaxError`.
 */
export function piecesOf(string: string, at: number): readonly string[] {
  const inner = string.slice(1, -1)
  if (!inner.includes('\\')) return inner.split('*')
  const pieces: string[] = []
  let piece = ''
  for (const match of inner.matchAll(part)) {
    const [all, star, high, low, unit, simple] = match
    if (star) pieces.push(piece)
    if (all === '\\') throw new FilterSyntaxError('bad_escape', at + 1 + match.index)
    const codes = [high, low, unit].flatMap(hex => (hex ? [Number.parseInt(hex, 16)] : []))
    if (star) piece = ''
    else if (simple) piece += controls[simple] ?? simple
    else piece += codes.length > 0 ? String.fromCharCode(...codes) : all
  }
  return [...pieces, piece]
}
