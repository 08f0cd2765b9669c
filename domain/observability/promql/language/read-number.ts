import type { SyntaxNode } from '@lezer/common'
import type { FixedTime } from './expression.ts'
import { quoted, type QueryFaults } from './faults.ts'
import { longestDuration, numberOf } from './literals.ts'
import { childrenOf } from './syntax-tree.ts'

/** Reads the nodes of numbers, durations and times of one query. */
export class NumberReader {
  readonly #query: string
  readonly #faults: QueryFaults

  constructor(query: string, faults: QueryFaults) {
    this.#query = query
    this.#faults = faults
  }

  /** Returns the value of a number or of a duration in seconds. */
  number(node: SyntaxNode): number {
    const value = numberOf(this.#text(node))
    const isFollowed = /\w/.test(this.#query.charAt(node.to))
    if (value !== undefined && !isFollowed) return value
    throw this.#faults.syntax(node.from, `the number ${quoted(this.#text(node))} is malformed`)
  }

  /** Returns the milliseconds of an offset; positive into the past. */
  offset(node: SyntaxNode): number {
    const [first, second] = childrenOf(node)
    if (first?.name !== 'UnaryOp') return this.#milliseconds(node)
    if (second === undefined) throw this.#faults.unsupported(node.from, 'duration expressions')
    return this.#text(first) === '-' ? -this.#milliseconds(second) : this.#milliseconds(second)
  }

  /** Returns the time of the modifier `@`. */
  fixedTime(node: SyntaxNode): FixedTime {
    if (node.name === 'AtModifierPreprocessors') return node.firstChild?.name === 'AtStart' ? 'start' : 'end'
    const seconds = this.number(node)
    if (Math.abs(seconds) < 2 ** 63) return Math.round(seconds * 1000)
    throw this.#faults.syntax(node.from, 'the time of @ is out of range')
  }

  /** Returns a positive duration in milliseconds. */
  duration(node: SyntaxNode): number {
    const milliseconds = this.#milliseconds(node)
    if (milliseconds > 0) return milliseconds
    throw this.#faults.syntax(node.from, 'a duration must be at least a millisecond')
  }

  #milliseconds(node: SyntaxNode): number {
    const [literal] = childrenOf(node)
    // Parentheses around a duration leave no node of their own.
    if (literal?.name === 'DurationExpr' && childrenOf(node).length === 1) return this.#milliseconds(literal)
    if (literal?.name !== 'NumberDurationLiteralInDurationContext') {
      throw this.#faults.unsupported(node.from, 'duration expressions')
    }
    const milliseconds = Math.trunc(Math.round(this.number(literal) * 1e9) / 1e6)
    if (milliseconds <= longestDuration) return milliseconds
    throw this.#faults.syntax(node.from, `the duration ${quoted(this.#text(node))} is out of range`)
  }

  #text(node: SyntaxNode): string {
    return this.#query.slice(node.from, node.to)
  }
}
