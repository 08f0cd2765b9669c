import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { JsonPlaces } from './json-places.ts'
import { segments } from './pointer.ts'
import type { Position } from '../position.ts'

interface Place {
  readonly line: number
  readonly column: number
}

const start: Place = { line: 1, column: 1 }

/** A position that is computed when its line or column is first read. */
class LazyPosition implements Position {
  readonly file: string
  readonly #find: (pointer: string) => Place
  readonly #pointer: string
  #place: Place | undefined

  constructor(file: string, find: (pointer: string) => Place, pointer: string) {
    this.file = file
    this.#find = find
    this.#pointer = pointer
  }

  get line(): number {
    return (this.#place ??= this.#find(this.#pointer)).line
  }

  get column(): number {
    return (this.#place ??= this.#find(this.#pointer)).column
  }
}

/**
 * Returns a function that finds positions in a YAML or JSON text. The text is parsed (YAML at 1 MB a second) when the
 * first line or column is read, so a document without faults is never parsed for positions.
 */
export function positionsOf(file: string, text: string): (pointer: string) => Position {
  let places: ((pointer: string) => Place) | undefined
  const isJson = file.toLowerCase().endsWith('.json')
  const find = (pointer: string): Place => (places ??= isJson ? jsonFinder(text) : yamlFinder(text))(pointer)
  return pointer => new LazyPosition(file, find, pointer)
}

function jsonFinder(text: string): (pointer: string) => Place {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1)
  const places = new JsonPlaces(text)
  return pointer => {
    const { line, col } = lines.linePos(places.offsetOf(segments(pointer) ?? []))
    return { line, column: col }
  }
}

function yamlFinder(text: string): (pointer: string) => Place {
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
    return { line: Math.max(line, start.line), column: Math.max(col, start.column) }
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
