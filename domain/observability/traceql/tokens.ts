import type { SyntaxNode } from '@lezer/common'

/** A part of a query: a node of the grammar, or a character between nodes, such as a bracket. */
export interface Token {
  readonly name: string
  readonly text: string
  readonly position: number
  /** Absent for a character between nodes. */
  readonly node?: SyntaxNode
}

const comments: ReadonlySet<string> = new Set(['BlockComment', 'LineComment'])

/**
 * Returns the parts of a node in the order of the text; the nodes with `names` are parts as a whole. The grammar orders
 * operators in another way than Tempo, so readers of parts decide the precedence of operators.
 */
export function tokensOf(query: string, top: SyntaxNode, names: ReadonlySet<string>): readonly Token[] {
  const tokens: Token[] = []
  let end = top.from
  const addGap = (to: number): void => {
    for (const { 0: text, index } of query.slice(end, to).matchAll(/\S/gu))
      tokens.push({ name: text, text, position: end + index })
  }
  top.cursor().iterate(({ from, name, node, to }) => {
    const isPart = names.has(name)
    if (!isPart && !comments.has(name)) return true
    addGap(from)
    end = to
    if (isPart) tokens.push({ name, text: query.slice(from, to), position: from, node })
    return false
  })
  addGap(top.to)
  return tokens
}

/** Reads the parts of a query one after the other. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  readonly #end: number
  #at = 0

  /** `end` is the position after the last part. */
  constructor(tokens: readonly Token[], end: number) {
    this.#tokens = tokens
    this.#end = end
  }

  /** The next part; undefined at the end. */
  get next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  /** The position of the next part, or of the end. */
  get position(): number {
    return this.next?.position ?? this.#end
  }

  /** Takes the next part if it has one of some names. */
  take(...names: readonly string[]): Token | undefined {
    const { next } = this
    if (next === undefined || !names.includes(next.name)) return undefined
    this.#at += 1
    return next
  }
}
