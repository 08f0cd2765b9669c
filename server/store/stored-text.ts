import type { Listed, Stored, Witnessed } from '../../domain/ports/store.ts'
import { JsonText } from '../../runtime/json.ts'
import type { Row } from './connection.ts'

/** A document as a connection read or wrote it; its text is parsed when `value` is first read. */
export class StoredText<T> implements Stored<T> {
  readonly id: string
  readonly version: number
  readonly text: JsonText<T>
  #value: { readonly parsed: T } | undefined

  constructor(id: string, version: number, text: string) {
    this.id = id
    this.version = version
    this.text = new JsonText<T>(text)
  }

  /** The document, when it has been parsed. */
  get parsed(): T | undefined {
    return this.#value?.parsed
  }

  get value(): T {
    this.#value ??= { parsed: JSON.parse(this.text.text) }
    return this.#value.parsed
  }
}

/** The version that the rows of a statement bring along as their last value. */
export function witnessedBy(row: Row | undefined): number | undefined {
  const value = row?.at(-1) ?? undefined
  return value === undefined ? undefined : Number(value)
}

/** A document with the members that were read before it. */
export class ListedText<T, Members extends readonly (keyof T)[]> extends StoredText<T> implements Listed<T, Members> {
  readonly members: Listed<T, Members>['members']

  constructor(row: Row, count: number) {
    super(String(row[count]), Number(row[count + 1]), String(row[count + 2]))
    const members: readonly unknown[] = row
    // The columns hold what was written of a `T`, texts only.
    this.members = members as Listed<T, Members>['members']
  }
}

export class WitnessedText<T, Members extends readonly (keyof T)[]>
  extends ListedText<T, Members>
  implements Witnessed<T, Members>
{
  readonly witnessed: number | undefined

  constructor(row: Row, count: number, witnessed: number | undefined) {
    super(row, count)
    this.witnessed = witnessed
  }
}

/** Of a row that `select` reads. */
export function storedOf<T>([key, version, text]: Row): Stored<T> {
  return new StoredText<T>(String(key), Number(version), String(text))
}
