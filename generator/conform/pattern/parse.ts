/** A range of code points, with both ends included. */
export type Range = readonly [from: number, to: number]

/**
 * The syntax tree of a pattern, reduced to the parts that produce text. Anchors and look-arounds become empty
 * sequences.
 */
export type Part =
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }

/**
 * Parses a pattern; returns undefined if the pattern contains back references, Unicode properties or other unsupported
 * syntax.
 */
export function parsePattern(pattern: string): Part | undefined {
  try {
    const parser = new Parser(pattern)
    const part = parser.choice(0)
    return parser.isAtEnd() ? part : undefined
  } catch (error) {
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

class Unsupported extends Error {}

const empty: Part = { kind: 'sequence', parts: [] }

const maxNesting = 100

const point = (character: string): number => character.codePointAt(0) ?? 0

const digits: readonly Range[] = [[48, 57]]
const words: readonly Range[] = [[48, 57], [65, 90], [95, 95], [97, 122]] // prettier-ignore
const blanks: readonly Range[] = [[32, 32], [9, 13], [0xa0, 0xa0]] // prettier-ignore

const classes: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  w: words,
  s: blanks,
  D: complement(digits),
  W: complement(words),
  S: complement(blanks),
}

const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }

/** Returns the printable ASCII characters outside the ranges. Characters beyond ASCII would only be harder to send. */
function complement(ranges: readonly Range[]): readonly Range[] {
  const isOut = (code: number): boolean => !ranges.some(([from, to]) => code >= from && code <= to)
  const codes = Array.from({ length: 0x7f - 0x20 }, (_, i) => i + 0x20)
  return codes.filter(isOut).map(code => [code, code])
}

class Parser {
  readonly #characters: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  isAtEnd(): boolean {
    return this.#at >= this.#characters.length
  }

  choice(nesting: number): Part {
    if (nesting > maxNesting) throw new Unsupported()
    const parts = [this.#sequence(nesting)]
    while (this.#take('|')) parts.push(this.#sequence(nesting))
    const [first] = parts
    return parts.length === 1 && first ? first : { kind: 'choice', parts }
  }

  #sequence(nesting: number): Part {
    const parts: Part[] = []
    while (!this.isAtEnd() && !this.#is('|') && !this.#is(')')) parts.push(this.#repeated(this.#atom(nesting)))
    return { kind: 'sequence', parts }
  }

  #repeated(part: Part): Part {
    const [min, max] = this.#quantifier() ?? []
    if (min === undefined || max === undefined) return part
    this.#take('?')
    return { kind: 'repeat', part, min, max }
  }

  #quantifier(): readonly [min: number, max: number] | undefined {
    if (this.#take('*')) return [0, Infinity]
    if (this.#take('+')) return [1, Infinity]
    if (this.#take('?')) return [0, 1]
    const rest = this.#is('{') ? this.#characters.slice(this.#at, this.#at + 24).join('') : ''
    const [whole = '', min = '', comma, max = ''] = /^\{(\d+)(,(\d*))?\}/.exec(rest) ?? []
    if (whole === '') return undefined
    this.#at += whole.length
    if (comma === undefined) return [Number(min), Number(min)]
    return [Number(min), max === '' ? Infinity : Number(max)]
  }

  #atom(nesting: number): Part {
    const character = this.#next()
    if (character === '^' || character === '$') return empty
    if (character === '(') return this.#group(nesting)
    if (character === '[') return this.#set()
    if (character === '.') return { kind: 'set', ranges: complement([]) }
    if (character !== '\\') return literal(point(character))
    if (this.#take('b') || this.#take('B')) return empty
    return { kind: 'set', ranges: this.#escape() }
  }

  #group(nesting: number): Part {
    const isLookAround = ['?=', '?!', '?<=', '?<!'].some(opening => this.#takeAll(opening))
    if (!isLookAround && !this.#takeAll('?:') && this.#takeAll('?<')) while (this.#next() !== '>') continue
    const part = this.choice(nesting + 1)
    if (!this.#take(')')) throw new Unsupported()
    return isLookAround ? empty : part
  }

  #escape(): readonly Range[] {
    const character = this.#next()
    const ranges = Object.hasOwn(classes, character) ? classes[character] : undefined
    if (ranges) return ranges
    const code = this.#code(character)
    return [[code, code]]
  }

  #code(character: string): number {
    if (Object.hasOwn(controls, character)) return point(controls[character] ?? '')
    if (character === 'x') return this.#hex(2)
    if (character === 'u' && this.#take('{')) return this.#hexUntilBrace()
    if (character === 'u') return this.#hex(4)
    if (/[A-Za-z1-9]/.test(character)) throw new Unsupported()
    return point(character)
  }

  #hex(length: number): number {
    const code = Number.parseInt(Array.from({ length }, () => this.#next()).join(''), 16)
    if (Number.isNaN(code)) throw new Unsupported()
    return code
  }

  #hexUntilBrace(): number {
    let text = ''
    while (!this.#take('}')) text += this.#next()
    return Number.parseInt(text, 16)
  }

  #set(): Part {
    const isNegated = this.#take('^')
    const ranges: Range[] = []
    while (!this.#take(']')) ranges.push(...this.#member())
    return { kind: 'set', ranges: isNegated ? complement(ranges) : ranges }
  }

  #member(): readonly Range[] {
    const from = this.#bound()
    const [[low, high] = [0, 0]] = from
    const isRange = from.length === 1 && low === high && this.#is('-') && this.#characters[this.#at + 1] !== ']'
    if (!isRange) return from
    this.#at += 1
    const [[to] = [0]] = this.#bound()
    return [[low, to]]
  }

  #bound(): readonly Range[] {
    const character = this.#next()
    if (character !== '\\') return [[point(character), point(character)]]
    return this.#take('b') ? [[8, 8]] : this.#take('-') ? [[45, 45]] : this.#escape()
  }

  #is(character: string): boolean {
    return this.#characters[this.#at] === character
  }

  #take(character: string): boolean {
    const isThere = this.#is(character)
    if (isThere) this.#at += 1
    return isThere
  }

  #takeAll(text: string): boolean {
    const isThere = [...text].every((character, i) => this.#characters[this.#at + i] === character)
    if (isThere) this.#at += text.length
    return isThere
  }

  #next(): string {
    const character = this.#characters[this.#at]
    if (character === undefined) throw new Unsupported()
    this.#at += 1
    return character
  }
}

const literal = (code: number): Part => ({ kind: 'set', ranges: [[code, code]] })
