// Copied by ninefold. Do not edit: generate writes it again.

import { FilterSyntaxError, Lexer, piecesOf } from './lex.ts'
import type { Comparator } from './types.ts'

const maxCharacters = 4096
const maxComparisons = 64
const maxDepth = 64

/**
 * A literal value. `text` is unchanged, dots and sign included; `pieces` are the texts of a string between wildcards.
 */
export type Literal = Readonly<{ kind: 'text'; text: string } | { kind: 'string'; pieces: readonly string[] }>

/** The left side of a comparator: the steps of a path. `at` is its position in the filter. */
export type Member = Readonly<{ kind: 'member'; path: readonly Literal[]; at: number }>
/** A function call, which AIP-160 allows and `checkFilter` refuses. `at` is its position in the filter. */
export type Call = Readonly<{ kind: 'call'; name: string; arguments: readonly Argument[]; at: number }>

/** The right side of a comparator. A group in parentheses distributes over the comparator: `a = (1 OR 2)`. */
export type Argument = Literal | Call | Group

/** A comparison, a single value, or a combination of them. `at` is the position of the value or of the negation. */
export type Group = Readonly<
  | { kind: 'and' | 'or' | 'sequence'; terms: readonly Group[] }
  | { kind: 'not'; term: Group; at: number }
  | { kind: 'compare'; left: Member | Call; operator: Comparator; value: Argument; at: number }
  | { kind: 'global'; value: Literal | Call; at: number }
>

/** A parsed filter with unresolved fields and raw literals. Parentheses have become the nesting of groups. */
export type Expression = Group | Readonly<{ kind: 'empty' }>

/** Parses a filter by AIP-160's grammar, within the limits of conventions §8. Throws `FilterSyntaxError`. */
export function parseFilter(text: string): Expression {
  const isLong = text.length > maxCharacters && (text.length > 2 * maxCharacters || [...text].length > maxCharacters)
  if (isLong) throw new FilterSyntaxError('limit_exceeded', maxCharacters)
  return new Parser(text).filter()
}

class Parser extends Lexer {
  #depth = 0
  #comparisons = 0

  filter(): Expression {
    if (this.is('')) return { kind: 'empty' }
    const found = this.#and()
    return this.is('') ? found : this.#fail('unexpected_token')
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
    while (this.spaced && this.#took('OR')) terms.push(this.#term())
    return joined('or', terms)
  }

  /** Whether another factor follows, separated by a blank. Throws for a token that cannot follow. */
  #goesOn(): boolean {
    if (this.is('') || this.is(')') || (this.spaced && this.is('AND'))) return false
    const begins = this.kind === 'word' || this.kind === 'string' || this.is('-') || this.is('(')
    return (begins && this.spaced) || this.#fail('unexpected_token')
  }

  #term(): Group {
    const { at } = this
    const isMinus = this.is('-')
    if (isMinus) this.next()
    else if (!this.#took('NOT')) return this.#simple()
    if (isMinus && (this.spaced || this.is(''))) this.#fail('expected_expression', at + 1)
    if (this.is('-') || this.is('NOT')) this.#fail('double_negation')
    return { kind: 'not', term: this.#simple(), at }
  }

  #simple(): Group {
    if (this.is('(')) return this.#enclosed(() => this.#and())
    if (!this.startsValue()) this.#fail('expected_expression')
    const left = this.#comparable()
    if (this.kind !== 'comparator') return { kind: 'global', value: this.#valueOf(left), at: left.at }
    const operator = this.token as Comparator
    this.next()
    const { at } = this
    return { kind: 'compare', left, operator, value: this.#argument(), at }
  }

  #argument(): Argument {
    if (this.is('(')) return this.#enclosed(() => this.#and())
    const { at } = this
    const isSigned = this.is('-')
    if (isSigned) this.next()
    if (isSigned ? this.kind !== 'word' || this.spaced : !this.startsValue()) this.#fail('expected_argument', at)
    const found = this.#comparable()
    if (isSigned && found.kind === 'call') this.#fail('expected_argument', at)
    return this.#valueOf({ ...found, at })
  }

  /** Parses a path, or a call if a parenthesis follows directly. */
  #comparable(): Member | Call {
    const { at } = this
    const path: Literal[] = []
    for (;;) {
      if (this.kind === 'word') path.push({ kind: 'text', text: this.token })
      else path.push({ kind: 'string', pieces: piecesOf(this.token, this.at) })
      this.next()
      if (this.is('(') && !this.spaced) return this.#call(path, at)
      if (!this.is('.') || this.spaced) return { kind: 'member', path, at }
      this.next()
      if (this.spaced || !(this.kind === 'word' || this.kind === 'string')) this.#fail('expected_field')
    }
  }

  #call(path: readonly Literal[], at: number): Call {
    if (path.some(step => step.kind === 'string')) this.#fail('unexpected_token')
    const name = this.text.slice(at, this.before)
    const given: Argument[] = []
    this.#enclosed(() => {
      for (let more = !this.is(')'); more; more = this.is(',')) {
        if (given.length > 0) this.next()
        given.push(this.is('') ? this.#fail('unclosed_paren') : this.#argument())
      }
    })
    return { kind: 'call', name, arguments: given, at }
  }

  /**
   * Converts a path or call to a value: a call, a string, or unchanged text. Counts the comparisons of the filter
   * against their limit.
   */
  #valueOf(found: Member | Call): Literal | Call {
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons) this.#fail('limit_exceeded')
    if (found.kind === 'call') return found
    const [first] = found.path
    if (first?.kind === 'string' && found.path.length === 1) return first
    return { kind: 'text', text: this.text.slice(found.at, this.before) }
  }

  /**
   * Returns true and reads the token if it is this keyword. Throws if a parenthesis or a string follows without a
   * blank.
   */
  #took(keyword: 'AND' | 'OR' | 'NOT'): boolean {
    if (!this.is(keyword)) return false
    const { at } = this
    this.next()
    if (!this.spaced && (this.is('(') || this.kind === 'string')) this.#fail('keyword_needs_space', at)
    return true
  }

  #enclosed<T>(inside: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth) this.#fail('limit_exceeded')
    this.next()
    const found = inside()
    if (!this.is(')')) this.#fail(this.is('') ? 'unclosed_paren' : 'unexpected_token')
    this.#depth -= 1
    this.next()
    return found
  }

  #fail(kind: FilterSyntaxError['kind'], position = this.at): never {
    throw new FilterSyntaxError(kind, position)
  }
}

function joined(kind: 'and' | 'or' | 'sequence', terms: readonly Group[]): Group {
  const [only] = terms
  return only && terms.length === 1 ? only : { kind, terms }
}
