import { JsonPlaces } from './json-places.ts'
import { segments } from './pointer.ts'
import type { Place, Position } from '../position.ts'

type Find = (pointer: string) => Place

/** A position that is computed when its line or column is first read. */
class LazyPosition implements Position {
  readonly file: string
  readonly #find: Find
  readonly #pointer: string
  #place: Place | undefined

  constructor(file: string, find: Find, pointer: string) {
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
 * first line or column is read, so a document without faults is never parsed for positions. The parser of YAML is loaded
 * for YAML only.
 */
export async function positionsOf(file: string, text: string): Promise<(pointer: string) => Position> {
  const finder = isJson(file) ? jsonFinder : (await import('./yaml-places.ts')).yamlFinder
  let places: Find | undefined
  const find: Find = pointer => (places ??= finder(text))(pointer)
  return pointer => new LazyPosition(file, find, pointer)
}

/** Whether a file is read as JSON. All other files are read as YAML. */
export const isJson = (file: string): boolean => file.toLowerCase().endsWith('.json')

function jsonFinder(text: string): Find {
  const starts = lineStarts(text)
  const places = new JsonPlaces(text)
  return pointer => {
    const offset = places.offsetOf(segments(pointer) ?? [])
    const line = lineAt(offset, starts)
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

/** Returns the offsets at which the lines of a text begin. */
function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

/** Returns the index of the last line that begins at an offset or before, by binary search. */
function lineAt(offset: number, starts: readonly number[]): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low
}
