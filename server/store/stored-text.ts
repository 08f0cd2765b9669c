import type { Listed, Stored, Witnessed } from '../../domain/ports/store.ts'
import { JsonText } from '../../runtime/json.ts'
import type { SqlRow } from './connection.ts'
import type { Layout } from './layout.ts'

/** Returns the visible part of a document's stored text. */
export const shownText = <T>({ hidden }: Layout, body: string): JsonText<T> =>
  new JsonText<T>(hidden === undefined ? body : hidden.cut(body))

/** A stored document. Its text is cut, and its value is parsed, on first use. */
export class StoredText<T> implements Stored<T> {
  readonly id: string
  readonly version: number
  /** The stored text, hidden members included. */
  readonly body: string
  readonly #layout: Layout
  #text: JsonText<T> | undefined
  #value: { readonly parsed: T } | undefined

  constructor(layout: Layout, id: string, version: number, body: string) {
    this.#layout = layout
    this.id = id
    this.version = version
    this.body = body
  }

  get text(): JsonText<T> {
    return (this.#text ??= shownText<T>(this.#layout, this.body))
  }

  /** The value of the document, if it was parsed already. */
  get parsed(): T | undefined {
    return this.#value?.parsed
  }

  get value(): T {
    this.#value ??= { parsed: JSON.parse(this.body) }
    return this.#value.parsed
  }
}

/**
 * Returns the version of the witness row, which is the last value of each row; undefined if there is no witness row.
 */
export function witnessedBy(row: SqlRow | undefined): number | undefined {
  const value = row?.at(-1) ?? undefined
  return value === undefined ? undefined : Number(value)
}

/** A document with the members that were read before its key, in a row of a statement that selects `count` members. */
export class ListedText<T, Members extends readonly (keyof T)[]> extends StoredText<T> implements Listed<T, Members> {
  readonly members: Listed<T, Members>['members']

  constructor(layout: Layout, row: SqlRow, count: number) {
    super(layout, String(row[count]), Number(row[count + 1]), String(row[count + 2]))
    const members: readonly unknown[] = row
    // The columns hold values of a `T`, texts only.
    this.members = members as Listed<T, Members>['members']
  }
}

/** A document that was read together with the version of a witness row. */
export class WitnessedText<T, Members extends readonly (keyof T)[]>
  extends ListedText<T, Members>
  implements Witnessed<T, Members>
{
  readonly witnessed: number | undefined

  constructor(layout: Layout, row: SqlRow, count: number, witnessed: number | undefined) {
    super(layout, row, count)
    this.witnessed = witnessed
  }
}

/** Returns the document of a row with key, version and body. */
export function storedOf<T>(layout: Layout, [key, version, body]: SqlRow): Stored<T> {
  return new StoredText<T>(layout, String(key), Number(version), String(body))
}
