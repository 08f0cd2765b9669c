import type { SyntaxNode } from '@lezer/common'
import { isPatternOperator, matcher, type Matcher, type MatchOperator } from '../matcher.ts'
import type { VectorSelector } from './expression.ts'
import { quoted, type QueryFaults } from './faults.ts'
import { stringOf } from './literals.ts'
import { childrenOf } from './syntax-tree.ts'

/** The label that holds the name of a metric. */
export const nameLabel = '__name__'

const matchOperators: Readonly<Record<string, MatchOperator>> = {
  EqlSingle: '=',
  Neq: '!=',
  EqlRegex: '=~',
  NeqRegex: '!~',
}

/** Reads the nodes of selectors, labels and texts of one query. */
export class SelectorReader {
  readonly #query: string
  readonly #faults: QueryFaults

  constructor(query: string, faults: QueryFaults) {
    this.#query = query
    this.#faults = faults
  }

  selector(node: SyntaxNode): VectorSelector {
    const [first, second] = childrenOf(node)
    const braces = first?.name === 'LabelMatchers' ? first : second
    const names = first?.name === 'Identifier' ? [this.#text(first)] : []
    if (/^atan2$/i.test(names[0] ?? '')) throw this.#faults.syntax(node.from, 'atan2 needs an expression on each side')
    const matchers: Matcher[] = []
    for (const child of braces === undefined ? [] : childrenOf(braces)) {
      if (child.name === 'QuotedLabelName') names.push(this.string(child))
      else matchers.push(this.#matcher(child))
    }
    const [name, other] = names
    const isNamedByMatcher = first?.name === 'Identifier' && matchers.some(each => each.name === nameLabel)
    if (other !== undefined || isNamedByMatcher) {
      throw this.#faults.syntax(node.from, 'the name of the metric is given twice')
    }
    if (name !== undefined) matchers.push(matcher(nameLabel, '=', name))
    if (matchers.every(each => each.test(''))) {
      throw this.#faults.emptySelector(node.from)
    }
    return { kind: 'selector', position: node.from, matchers }
  }

  /** Returns the names of a list of labels. */
  labels(node: SyntaxNode): string[] {
    return childrenOf(node).map(child => {
      const name = this.#label(child)
      if (child.name !== 'LabelName' || !/^(?:without|inf|nan)$/i.test(name)) return name
      throw this.#faults.syntax(child.from, `the label ${quoted(name)} needs quotes here`)
    })
  }

  /** Returns the text of a string literal, or of a node that holds nothing else. */
  string(node: SyntaxNode): string {
    const text = stringOf(this.#text(node))
    if (text === undefined) throw this.#faults.syntax(node.from, `the string ${quoted(this.#text(node))} is malformed`)
    return text
  }

  #matcher(node: SyntaxNode): Matcher {
    const [label, operator, value] = childrenOf(node)
    const sign = matchOperators[operator?.firstChild?.name ?? '']
    if (label === undefined || sign === undefined || value === undefined) {
      throw this.#faults.syntax(node.from, 'a matcher needs a label, an operator and a string')
    }
    const text = this.string(value)
    if (isPatternOperator(sign)) this.#faults.admitPattern(text)
    try {
      return matcher(this.#label(label), sign, text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw this.#faults.syntax(value.from, `${quoted(text)} is no pattern of RE2`)
    }
  }

  #label(node: SyntaxNode): string {
    const name = node.name === 'QuotedLabelName' ? this.string(node) : this.#text(node)
    if (name === '') throw this.#faults.syntax(node.from, 'the name of a label is empty')
    return name
  }

  #text(node: SyntaxNode): string {
    return this.#query.slice(node.from, node.to)
  }
}
