import type { Collection } from '../../domain/ports/store.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import { documentOf } from './parsed-body.ts'

/** Returns the beginning of a hidden member in a text. A visible member always precedes it: a document has one at least. */
const headOf = (name: string): string => `,${JSON.stringify(name)}:"`

/**
 * The hidden members of a collection. Hidden members stand behind all other members in the text of a document, so that
 * the text can be cut without parsing: quotes inside of texts are escaped, and hidden values have none.
 */
export class HiddenMembers {
  readonly names: readonly string[]
  readonly #collection: string
  readonly #heads: readonly string[]
  /** Matches the hidden members and the end of a document, from the position `lastIndex` on. */
  readonly #tail: RegExp
  /** The length of the hidden members of a document that was cut before, with the end of the document. */
  #length = 0

  private constructor(collection: string, names: readonly string[]) {
    this.names = names
    this.#collection = collection
    this.#heads = names.map(headOf)
    const patterns = this.#heads.map(head => `${head.replaceAll(/\W/g, String.raw`\$&`)}[^"]*"`)
    this.#tail = new RegExp(`${patterns.join('')}\\}$`, 'y')
  }

  /**
   * Returns the hidden members of a collection; undefined for a collection without hidden members. Throws if a
   * collection hides a field or the key of its list.
   */
  static of({ hidden = [], list, name }: Collection<never>): HiddenMembers | undefined {
    if (hidden.length === 0) return undefined
    const seen = list === undefined ? [] : [list.key, ...list.fields.flatMap(namesOf)]
    const wrong = hidden.find((member, i) => seen.includes(member) || hidden.indexOf(member) < i)
    if (wrong === undefined) return new HiddenMembers(name, hidden)
    throw new Error(`collection "${name}" cannot hide "${wrong}": it is the key or a field of the list, or named twice`)
  }

  /**
   * Returns the stored text of a document. Throws `TypeError` if a hidden member is unset, or needs an escape in JSON.
   */
  write(document: object): string {
    const hidden = this.names.map((name, i) => `${this.#heads[i]}${this.#plainText(document, name)}"`)
    return `${JSON.stringify(this.#without(document)).slice(0, -1)}${hidden.join('')}}`
  }

  /** Returns the visible text of a document. Throws for a damaged text, because the place of the cut is unknown. */
  cut(body: string): string {
    const at = this.#startIn(body)
    if (at !== undefined) return `${body.slice(0, at)}}`
    // The text was written before the members were hidden.
    const document = documentOf(body)
    if (isRecord(document)) return JSON.stringify(this.#without(document))
    throw new Error(`a document of "${this.#collection}" is damaged; "ninefold doctor" tells which`)
  }

  /**
   * Returns the position of the hidden members; undefined unless all hidden members, and no other members, stand at the
   * end.
   */
  #startIn(body: string): number | undefined {
    // The hidden members of most documents of a collection are equally long.
    const likely = body.length - this.#length
    if (this.#isTail(body, likely)) return likely
    const start = body.lastIndexOf(this.#heads[0] ?? '')
    if (start < 0 || !this.#isTail(body, start)) return undefined
    this.#length = body.length - start
    return start
  }

  #isTail(body: string, start: number): boolean {
    this.#tail.lastIndex = start
    return this.#tail.test(body)
  }

  #plainText(document: object, name: string): string {
    const value = isRecord(document) ? own(document, name) : undefined
    if (typeof value === 'string' && JSON.stringify(value).length === value.length + 2) return value
    const fault = 'must be a text that JSON writes without escapes, since it is hidden'
    throw new TypeError(`member "${name}" of a document of "${this.#collection}" ${fault}`)
  }

  #without(document: object): object {
    return Object.fromEntries(Object.entries(document).filter(([name]) => !this.names.includes(name)))
  }
}

/** Returns the members that a list field reveals. */
const namesOf = ({ name, path = name }: { readonly name: string; readonly path?: string }): readonly string[] => [
  name,
  ...path.split('.').slice(0, 1),
]
