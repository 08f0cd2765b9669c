import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { Place, Position } from '../position.ts'
import { segments } from './pointer.ts'

/** Returns a function that finds the places of pointers in a YAML text. */
export function yamlFinder(text: string): (pointer: string) => Place {
  const lines = new LineCounter()
  const root = parsed(text, lines)
  const index = new MemberIndex()
  return pointer => {
    let node = root
    let offset = root?.range?.[0] ?? 0
    for (const segment of segments(pointer) ?? []) {
      const next = index.step(node, segment)
      if (!next) break
      node = next.node
      offset = next.offset
    }
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
}

/** Returns the syntax tree; null if the text is nested deeper than the parser can follow. */
function parsed(text: string, lineCounter: LineCounter): Node | null {
  try {
    return parseDocument(text, { lineCounter, uniqueKeys: false, strict: false, logLevel: 'silent' }).contents
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

interface Step {
  readonly node: Node | null
  readonly offset: number
}

/**
 * Finds members by name. The index of each map is built once, because a long map is searched many times. An alias has
 * no members: a position inside an alias is the position of the member or list that contains the alias.
 */
class MemberIndex {
  readonly #maps = new WeakMap<Node, ReadonlyMap<string, Step>>()

  step(node: Node | null, segment: string): Step | undefined {
    if (isSeq(node)) {
      const item: unknown = node.items[Number(segment)]
      return isNode(item) ? { node: item, offset: item.range?.[0] ?? 0 } : undefined
    }
    return node && isMap(node) ? this.#members(node).get(segment) : undefined
  }

  #members(map: Node): ReadonlyMap<string, Step> {
    const known = this.#maps.get(map)
    if (known) return known
    const members = new Map<string, Step>()
    for (const pair of isMap(map) ? map.items : []) {
      if (!isPair(pair) || !isScalar(pair.key)) continue
      const step = { node: isNode(pair.value) ? pair.value : null, offset: pair.key.range?.[0] ?? 0 }
      members.set(String(pair.key.value), step)
      if (pair.key.source !== undefined) members.set(pair.key.source, step)
    }
    this.#maps.set(map, members)
    return members
  }
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value)

/** Returns up to 20 syntax errors of a text with their positions; empty if this parser accepts the text. */
export function syntaxFaults(
  file: string,
  text: string,
): readonly { readonly text: string; readonly position: Position }[] {
  const lineCounter = new LineCounter()
  try {
    const { errors } = parseDocument(text, { lineCounter, logLevel: 'silent', prettyErrors: false })
    return errors.slice(0, 20).map(({ message, pos }) => {
      const { line, col } = lineCounter.linePos(pos[0])
      return { text: message, position: { file, line, column: col } }
    })
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}
