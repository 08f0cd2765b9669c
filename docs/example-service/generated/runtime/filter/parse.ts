// Copied by ninefold. Do not edit: generate writes it again.

import { FilterSyntaxError, Lexer, piecesOf } from './lex.ts'
import type { Comparator } from './types.ts'

const maxCharacters = 4096
const maxComparisons = 64
const maxDepth = 64

/** `text` stands as written, dots and sign included; a string's `pieces` are its texts between live wildcards. */
export type Literal = Readonly<{ kind: 'text'; text: string } | { kind: 'string'; pieces: readonly string[] }>

/** What can stand left of a comparator. `at` is where it begins. */
export type Member = Readonly<{ kind: 'member'; path: readonly Literal[]; at: number }>
export type Call = Readonly<{ kind: 'call'; name: string; arguments: readonly Argument[]; at: number }>

/** A group in parentheses distributes over the comparator. */
export type Argument = Literal | Call | Group

/** A comparison, a value on its own, or what joins them. `at` is where the value begins, or the negation. */
export type Group = Readonly<
  | { kind: 'and' | 'or' | 'sequence'; terms: readonly Group[] }
  | { kind: 'not'; term: Group; at: number }
  | { kind: 'compare'; left: Member | Call; operator: Comparator; value: Argument; at: number }
  | { kind: 'global'; value: Literal | Call; at: number }
>

/** A filter as written: no fields known, literals raw, parentheses gone. */
export type Expression = Group | Readonly<{ kind: 'empty' }>

/** Reads a filter by AIP-160's grammar, within the limits of conventions §8. Throws `FilterSyntaxError`. */
export function parseFilter(text: string): Expression {
  const isLong = text.length > maxCharacters && (text.length > 2 * maxCharacters || [...text].length > maxCharacters)
  if (isLong) throw new FilterSyntaxError('limit_exceeded', maxCharacters)
  return new Parser(new Lexer(text)).filter()
}

class Parser {
  readonly #lexer: Lexer
  #depth = 0
  #comparisons = 0

  constructor(lexer: Lexer) {
    this.#lexer = lexer
  }

  filter(): Expression {
    if (this.#lexer.is('')) return { kind: 'empty' }
    const found = this.#and()
    return this.#lexer.is('') ? found : this.#fail('unexpected_token')
  }

  #and(): Group {
    const terms = [this.#sequence()]
    while (this.#took('AND')) terms.push(this.#sequence())
    return joined('and', terms)
  }

  #sequence(): Group {
    const terms = [this.#or()]
    while (this.#goesOn()) terms.push(this.#or())
    return joined('sequence', terms)
  }

  #or(): Group {
    const terms = [this.#term()]
    while (this.#lexer.spaced && this.#took('OR')) terms.push(this.#term())
    return joined('or', terms)
  }

  /** Another factor follows, parted by a blank from the one before. */
  #goesOn(): boolean {
    const lexer = this.#lexer
    if (lexer.is('') || lexer.is(')') || (lexer.spaced && lexer.is('AND'))) return false
    const begins = lexer.kind === 'word' || lexer.kind === 'string' || lexer.is('-') || lexer.is('(')
    return (begins && lexer.spaced) || this.#fail('unexpected_token')
  }

  #term(): Group {
    const lexer = this.#lexer
    const { at } = lexer
    const isMinus = lexer.is('-')
    if (isMinus) lexer.next()
    else if (!this.#took('NOT')) return this.#simple()
    if (isMinus && (lexer.spaced || lexer.is(''))) this.#fail('expected_expression', at + 1)
    if (lexer.is('-') || lexer.is('NOT')) this.#fail('double_negation')
    return { kind: 'not', term: this.#simple(), at }
  }

  #simple(): Group {
    const lexer = this.#lexer
    if (lexer.is('(')) return this.#enclosed(() => this.#and())
    if (!lexer.startsValue()) this.#fail('expected_expression')
    const left = this.#comparable()
    if (lexer.kind !== 'comparator') return { kind: 'global', value: this.#valueOf(left), at: left.at }
    const operator = lexer.token as Comparator
    lexer.next()
    const { at } = lexer
    return { kind: 'compare', left, operator, value: this.#argument(), at }
  }

  #argument(): Argument {
    const lexer = this.#lexer
    if (lexer.is('(')) return this.#enclosed(() => this.#and())
    const { at } = lexer
    const isSigned = lexer.is('-')
    if (isSigned) lexer.next()
    if (isSigned ? lexer.kind !== 'word' || lexer.spaced : !lexer.startsValue()) this.#fail('expected_argument', at)
    const found = this.#comparable()
    if (isSigned && found.kind === 'call') this.#fail('expected_argument', at)
    return this.#valueOf({ ...found, at })
  }

  /** A path, or with a parenthesis right after it a call. */
  #comparable(): Member | Call {
    const lexer = this.#lexer
    const { at } = lexer
    const path: Literal[] = []
    for (;;) {
      if (lexer.kind === 'word') path.push({ kind: 'text', text: lexer.token })
      else path.push({ kind: 'string', pieces: piecesOf(lexer.token, lexer.at) })
      lexer.next()
      if (lexer.is('(') && !lexer.spaced) return this.#call(path, at)
      if (!lexer.is('.') || lexer.spaced) return { kind: 'member', path, at }
      lexer.next()
      if (lexer.spaced || !(lexer.kind === 'word' || lexer.kind === 'string')) this.#fail('expected_field')
    }
  }

  #call(path: readonly Literal[], at: number): Call {
    const lexer = this.#lexer
    if (path.some(step => step.kind === 'string')) this.#fail('unexpected_token')
    const name = lexer.text.slice(at, lexer.before)
    const given: Argument[] = []
    this.#enclosed(() => {
      for (let more = !lexer.is(')'); more; more = lexer.is(',')) {
        if (given.length > 0) lexer.next()
        given.push(lexer.is('') ? this.#fail('unclosed_paren') : this.#argument())
      }
    })
    return { kind: 'call', name, arguments: given, at }
  }

  /** A member without a comparator is a value: one string, or text as it was written. */
  #valueOf(found: Member | Call): Literal | Call {
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons) this.#fail('limit_exceeded')
    if (found.kind === 'call') return found
    const [first] = found.path
    if (first?.kind === 'string' && found.path.length === 1) return first
    return { kind: 'text', text: this.#lexer.text.slice(found.at, this.#lexer.before) }
  }

  /** Takes a keyword; what follows it may not be glued to it. */
  #took(keyword: 'AND' | 'OR' | 'NOT'): boolean {
    const lexer = this.#lexer
    if (!lexer.is(keyword)) return false
    const { at } = lexer
    lexer.next()
    if (!lexer.spaced && (lexer.is('(') || lexer.kind === 'string')) this.#fail('keyword_needs_space', at)
    return true
  }

  #enclosed<T>(inside: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth) this.#fail('limit_exceeded')
    this.#lexer.next()
    const found = inside()
    if (!this.#lexer.is(')')) this.#fail(this.#lexer.is('') ? 'unclosed_paren' : 'unexpected_token')
    this.#depth -= 1
    this.#lexer.next()
    return found
  }

  #fail(kind: FilterSyntaxError['kind'], position = this.#lexer.at): never {
    throw new FilterSyntaxError(kind, position)
  }
}

function joined(kind: 'and' | 'or' | 'sequence', terms: readonly Group[]): Group {
  const [only] = terms
  return only && terms.length === 1 ? only : { kind, terms }
}
