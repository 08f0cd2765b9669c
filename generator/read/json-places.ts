import { type Ends, endOfString, endOfValue, nameIn, pastBlanks } from './json-text.ts'

/** The offsets of a member or element in the text: its start (for a member, its key) and the start of its value. */
interface Entry {
  readonly offset: number
  readonly value: number
}

/**
 * Finds offsets in a valid JSON text without parsing the entire text. `offsetOf` lists each container on a path once,
 * and skips all other values.
 */
export class JsonPlaces {
  readonly #text: string
  readonly #listed = new Map<number, ReadonlyMap<string, Entry>>()
  readonly #ends: Ends = new Map()

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Returns the offset of the key of a member, or of the start of an element, at a path of names. For a missing value,
   * returns the offset of its nearest existing parent.
   */
  offsetOf(path: readonly string[]): number {
    const start = pastBlanks(this.#text, 0)
    let entry: Entry = { offset: start, value: start }
    for (const name of path) {
      const next = this.#entriesAt(entry.value).get(name)
      if (!next) break
      entry = next
    }
    return entry.offset
  }

  #entriesAt(container: number): ReadonlyMap<string, Entry> {
    const known = this.#listed.get(container)
    if (known) return known
    const entries = new Map<string, Entry>()
    this.#listed.set(container, entries)
    const opening = this.#text[container]
    if (opening === '{') this.#list(container, entries, at => this.#member(at))
    if (opening === '[') this.#list(container, entries, at => [String(entries.size), { offset: at, value: at }])
    return entries
  }

  #list(container: number, entries: Map<string, Entry>, read: (at: number) => readonly [string, Entry]): void {
    const text = this.#text
    let at = pastBlanks(text, container + 1)
    while (at < text.length && text[at] !== '}' && text[at] !== ']') {
      const [name, entry] = read(at)
      entries.set(name, entry)
      at = pastBlanks(text, endOfValue(text, entry.value, this.#ends))
      if (text[at] === ',') at = pastBlanks(text, at + 1)
    }
  }

  #member(at: number): readonly [string, Entry] {
    const end = endOfString(this.#text, at)
    const colon = pastBlanks(this.#text, end)
    return [nameIn(this.#text.slice(at, end)), { offset: at, value: pastBlanks(this.#text, colon + 1) }]
  }
}
