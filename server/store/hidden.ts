import type { Collection } from '../../domain/ports/store.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import { documentOf } from './parsed-body.ts'

/** A hidden member as it begins in a text: there is always a member before it, the id at least. */
const headOf = (name: string): string => `,${JSON.stringify(name)}:"`

/**
 * The hidden members of a collection, which stand behind all others in the text of a document, so that the text is cut
 * without being parsed: quotes inside of texts are escaped, and the values of hidden members have none.
 */
export class HiddenMembers {
  readonly names: readonly string[]
  readonly #collection: string
  readonly #heads: readonly string[]

  private constructor(collection: string, names: readonly string[]) {
    this.names = names
    this.#collection = collection
    this.#heads = names.map(headOf)
  }

  /** Undefined when a collection hides nothing. Throws when it hides what callers see: its id, or a field of its list. */
  static of({ hidden = [], id, list, name }: Collection<never>): HiddenMembers | undefined {
    if (hidden.length === 0) return undefined
    const seen = [id, ...(list === undefined ? [] : [list.key, ...list.fields.flatMap(namesOf)])]
    const wrong = hidden.find((member, i) => seen.includes(member) || hidden.indexOf(member) < i)
    if (wrong === undefined) return new HiddenMembers(name, hidden)
    throw new Error(`collection "${name}" cannot hide "${wrong}": it is the id, a field of the list, or named twice`)
  }

  /** The text of a document as it is kept. Throws `TypeError` when a hidden member is not set, or needs an escape in JSON. */
  write(document: object): string {
    const hidden = this.names.map((name, i) => `${this.#heads[i]}${this.#plainText(document, name)}"`)
    return `${JSON.stringify(this.#without(document)).slice(0, -1)}${hidden.join('')}}`
  }

  /** What callers see of the text of a document. Throws for a damaged one: what would have to be cut cannot be told. */
  cut(body: string): string {
    const at = this.#startIn(body)
    if (at !== undefined) return `${body.slice(0, at)}}`
    // It was written before the members were hidden.
    const document = documentOf(body)
    if (isRecord(document)) return JSON.stringify(this.#without(document))
    throw new Error(`a document of "${this.#collection}" is damaged; "ninefold doctor" tells which`)
  }

  /** Where the hidden members begin; undefined unless they alone stand at the end. */
  #startIn(body: string): number | undefined {
    const start = body.lastIndexOf(this.#heads[0] ?? '')
    let at = start
    for (const head of this.#heads) {
      if (!body.startsWith(head, at)) return undefined
      at = body.indexOf('"', at + head.length) + 1
    }
    return at === body.length - 1 ? start : undefined
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

/** The members that a field of a list lays open. */
const namesOf = ({ name, path = name }: { readonly name: string; readonly path?: string }): readonly string[] => [
  name,
  ...path.split('.').slice(0, 1),
]
