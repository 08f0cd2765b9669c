import { type Message, messages } from '../diagnostics.ts'
import { into, type Members } from './pointer.ts'

/**
 * The maximal nesting of a document in levels. Real documents stay far below this limit, and recursion over a document
 * is safe within the limit.
 */
const maxDepth = 100

/** The faults and references of a parsed value. */
export interface Survey {
  readonly faults: readonly { readonly message: Message; readonly pointer: string }[]
  /** The distinct texts of all `$ref` members at any depth. */
  readonly references: ReadonlySet<string>
  /** The pointers of the records with an `$anchor`, keyed by the anchor. The first record with an anchor counts. */
  readonly anchors: ReadonlyMap<string, string>
}

/**
 * Walks a parsed value once. The value must be plain JSON data within the limit of nesting, and YAML aliases must not
 * inflate the value: each use of an alias counts as a copy, and the length of the text limits the number of values. The
 * walk ends at the first fault that makes further steps unsafe.
 */
export function survey(root: unknown, textLength: number): Survey {
  const surveyor = new Surveyor(10 * textLength + 1000)
  surveyor.visit(root)
  return surveyor
}

class Surveyor implements Survey {
  readonly faults: { readonly message: Message; readonly pointer: string }[] = []
  readonly references = new Set<string>()
  readonly anchors = new Map<string, string>()
  /** The names and indexes on the path to the visited value. */
  readonly #path: (string | number)[] = []
  #isUnsafe = false
  /** The number of values that the walk may still visit. */
  #left: number

  constructor(maxValues: number) {
    this.#left = maxValues
  }

  visit(value: unknown): void {
    if (--this.#left < 0) return this.#stop(messages.aliasBomb())
    if (typeof value === 'number' && !Number.isFinite(value)) return this.#fault(messages.notJson(String(value)))
    if (typeof value !== 'object' || value === null) return
    if (this.#path.length > maxDepth) return this.#stop(messages.tooDeep(maxDepth))
    if (Array.isArray(value)) this.#elements(value)
    else if (isPlain(value)) this.#members(value)
    else this.#fault(messages.notJson(value.constructor.name))
  }

  #elements(list: readonly unknown[]): void {
    for (let i = 0; i < list.length && !this.#isUnsafe; i++) this.#inside(i, list[i])
  }

  #members(record: Members): void {
    for (const name of Object.keys(record)) {
      if (this.#isUnsafe) return
      const value = record[name]
      if (name === '$ref' && typeof value === 'string') this.references.add(value)
      if (name === '$anchor' && typeof value === 'string' && !this.anchors.has(value))
        this.anchors.set(value, this.#pointer)
      this.#inside(name, value)
    }
  }

  #inside(segment: string | number, value: unknown): void {
    this.#path.push(segment)
    this.visit(value)
    this.#path.pop()
  }

  #stop(message: Message): void {
    this.#isUnsafe = true
    this.#fault(message)
  }

  #fault(message: Message): void {
    this.faults.push({ message, pointer: this.#pointer })
  }

  get #pointer(): string {
    return this.#path.reduce((pointer: string, segment) => into(pointer, segment), '')
  }
}

function isPlain(value: object): value is Members {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
