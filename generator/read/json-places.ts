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

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Returns the offset of the key of a member, or of the start of an element, at a path of names. For a missing value,
   * returns the offset of its nearest existing parent.
   */
  offsetOf(path: readonly string[]): number {
    let entry: Entry = { offset: this.#past(0), value: this.#past(0) }
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
    let at = this.#past(container + 1)
    while (at < this.#text.length && this.#text[at] !== '}' && this.#text[at] !== ']') {
      const [name, entry] = read(at)
      entries.set(name, entry)
      at = this.#past(this.#endOfValue(entry.value))
      if (this.#text[at] === ',') at = this.#past(at + 1)
    }
  }

  #member(at: number): readonly [string, Entry] {
    const end = this.#endOfString(at)
    const colon = this.#past(end)
    return [String(JSON.parse(this.#text.slice(at, end))), { offset: at, value: this.#past(colon + 1) }]
  }

  /** Returns the offset of the first character from `at` on that is no white space. */
  #past(at: number): number {
    let end = at
    while (end < this.#text.length && this.#text.charCodeAt(end) <= 0x20) end += 1
    return end
  }

  #endOfString(at: number): number {
    let end = this.#text.indexOf('"', at + 1)
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    return end < 0 ? this.#text.length : end + 1
  }

  #isEscaped(quote: number): boolean {
    let start = quote
    while (this.#text[start - 1] === '\\') start -= 1
    return (quote - start) % 2 === 1
  }

  #endOfValue(at: number): number {
    let depth = 0
    for (let end = at; end < this.#text.length;) {
      const character = this.#text[end]
      if (character === '"') end = this.#endOfString(end)
      else if (depth === 0 && (character === ',' || character === '}' || character === ']')) return end
      else {
        if (character === '{' || character === '[') depth += 1
        if (character === '}' || character === ']') depth -= 1
        end += 1
      }
    }
    return this.#text.length
  }
}
