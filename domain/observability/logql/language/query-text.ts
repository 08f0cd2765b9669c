import type { SyntaxNode } from '@lezer/common'
import type { RE2JS } from 're2js'
import { anchoredExpression } from '../../promql/anchored-pattern.ts'
import { quoted, type QueryFaults } from '../../promql/language/faults.ts'
import { stringOf } from '../../promql/language/literals.ts'
import { childrenOf } from '../../promql/language/syntax-tree.ts'
import { isPatternOperator, matcher, type Matcher, type MatchOperator } from '../../promql/matcher.ts'

const matchOperators: Readonly<Record<string, MatchOperator>> = { Eq: '=', Neq: '!=', Re: '=~', Nre: '!~' }

/** Reads the nodes of names, strings and matchers of one query. */
export class QueryText {
  readonly query: string
  readonly faults: QueryFaults

  constructor(query: string, faults: QueryFaults) {
    this.query = query
    this.faults = faults
  }

  of(node: SyntaxNode): string {
    return this.query.slice(node.from, node.to)
  }

  /** Returns the text of a string literal. */
  string(node: SyntaxNode): string {
    const text = stringOf(this.of(node))
    if (text === undefined) throw this.faults.syntax(node.from, `the string ${quoted(this.of(node))} is malformed`)
    return text
  }

  /** Returns the first child with a name; throws the error of a syntax error if it is missing. */
  child(node: SyntaxNode, name: string): SyntaxNode {
    const child = childrenOf(node).find(each => each.name === name)
    if (child === undefined) throw this.faults.syntax(node.from, `a part of ${quoted(this.of(node))} is missing`)
    return child
  }

  /** Returns the text of the first child with a name. */
  nameIn(node: SyntaxNode, name = 'Identifier'): string {
    return this.of(this.child(node, name))
  }

  matcher(node: SyntaxNode): Matcher {
    const [name, operator, value] = childrenOf(node)
    const sign = matchOperators[operator?.name ?? '']
    if (name === undefined || sign === undefined || value === undefined) {
      throw this.faults.syntax(node.from, 'a matcher needs a label, an operator and a string')
    }
    const text = this.string(value)
    if (!isPatternOperator(sign)) return matcher(this.of(name), sign, text)
    return this.#compile(value, text, () => matcher(this.of(name), sign, text))
  }

  /** Compiles the pattern of a string literal, which matches anywhere in a line, and in which `.` matches no line end. */
  pattern(node: SyntaxNode): RE2JS {
    const text = this.string(node)
    return this.#compile(node, text, () => anchoredExpression(`(?-s)${text}`))
  }

  /** Compiles a pattern. Throws QUERY_LIMIT_EXCEEDED for one that is too large, and the error of a syntax error. */
  #compile<T>(node: SyntaxNode, text: string, run: () => T): T {
    this.faults.admitPattern(text)
    try {
      return run()
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw this.faults.syntax(node.from, `${quoted(text)} is no pattern of RE2`)
    }
  }
}
