import { isRecord } from '../../../../runtime/validation.ts'
import { malformedMessage, readableMessage } from '../payload-faults.ts'
import type { MessageReader } from './message-reader.ts'
import { invalidField, wireTypes, type Kind } from './kinds.ts'

/** A field that occurs at most once; the last value counts. */
export interface Single<Value> {
  readonly number: number
  readonly kind: Kind<Value>
  readonly isList: false
}

/** A field with any number of values. */
export interface List<Value> {
  readonly number: number
  readonly kind: Kind<Value>
  readonly isList: true
}

/** The fields of a message, keyed by their names in JSON. */
type Fields = Readonly<Record<string, Single<unknown> | List<unknown>>>

/**
 * A message that was read: absent single fields are undefined. The values of a list are read while they are iterated, so
 * that a large request is never in the memory as objects; each iteration may throw PAYLOAD_INVALID.
 */
export type Message<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends List<infer Value>
    ? Iterable<Value>
    : Of[Name] extends Single<infer Value>
      ? Value | undefined
      : never
}

export const one = <Value>(number: number, kind: Kind<Value>): Single<Value> => ({ number, kind, isList: false })
export const many = <Value>(number: number, kind: Kind<Value>): List<Value> => ({ number, kind, isList: true })

/** The kind of the messages with `fields`; fields that are not among these are skipped. */
export class MessageKind<Of extends Fields> implements Kind<Message<Of>> {
  readonly wire = wireTypes.bytes
  readonly #fields: readonly (readonly [name: string, field: Single<unknown> | List<unknown>])[]
  readonly #byNumber: ReadonlyMap<number, readonly [name: string, field: Single<unknown> | List<unknown>]>

  constructor(fields: Of) {
    this.#fields = Object.entries(fields)
    this.#byNumber = new Map(this.#fields.map(entry => [entry[1].number, entry]))
  }

  fromProtobuf(reader: MessageReader): Message<Of> {
    return this.whole(reader.inner())
  }

  /** Reads a message up to the end of the reader. Throws PAYLOAD_INVALID. */
  whole(reader: MessageReader): Message<Of> {
    const message: Record<string, unknown> = {}
    for (const [name, { isList, kind, number }] of this.#fields)
      if (isList) message[name] = { [Symbol.iterator]: () => valuesIn(reader.again(), number, kind) }
    readableMessage(() => this.#readSingles(reader, message))
    // The fields were read by their kinds.
    return message as Message<Of>
  }

  fromJson(value: unknown, name: string): Message<Of> {
    if (!isRecord(value)) throw invalidField(name, 'an object')
    const message: Record<string, unknown> = {}
    for (const [member, { isList, kind }] of this.#fields) {
      const sent = Object.hasOwn(value, member) ? (value[member] ?? undefined) : undefined
      if (isList) message[member] = elementsOf(sent, member, kind)
      else if (sent !== undefined) message[member] = kind.fromJson(sent, member)
    }
    // The fields were read by their kinds.
    return message as Message<Of>
  }

  #readSingles(reader: MessageReader, message: Record<string, unknown>): void {
    while (reader.pos < reader.len) {
      const { number, wire } = tagOf(reader)
      const [name, field] = this.#byNumber.get(number) ?? []
      if (name === undefined || field === undefined) {
        reader.skipType(wire, 0, number)
      } else {
        if (wire !== field.kind.wire && !(field.isList && wire === wireTypes.bytes)) throw malformedMessage()
        if (field.isList) reader.skipType(wire, 0, number)
        else message[name] = field.kind.fromProtobuf(reader)
      }
    }
  }
}

/** Reads the values of a list; values of fixed sizes and varints may be packed. */
function* valuesIn<Value>(reader: MessageReader, wanted: number, kind: Kind<Value>): Generator<Value, undefined> {
  while (reader.pos < reader.len) {
    const { number, wire } = tagOf(reader)
    if (number !== wanted) {
      reader.skipType(wire, 0, number)
    } else if (wire === kind.wire) {
      yield valueIn(reader, kind)
    } else {
      const packed = reader.inner()
      while (packed.pos < packed.len) yield valueIn(packed, kind)
    }
  }
}

function valueIn<Value>(reader: MessageReader, kind: Kind<Value>): Value {
  reader.budget.spend()
  return readableMessage(() => kind.fromProtobuf(reader))
}

/** Returns the elements of an array of JSON, which are read while they are iterated. */
function elementsOf<Value>(sent: unknown, name: string, kind: Kind<Value>): Iterable<Value> {
  if (sent === undefined) return []
  if (!Array.isArray(sent)) throw invalidField(name, 'an array')
  const list: readonly unknown[] = sent
  return {
    *[Symbol.iterator]() {
      for (const element of list) yield kind.fromJson(element, name)
    },
  }
}

function tagOf(reader: MessageReader): { readonly number: number; readonly wire: number } {
  const tag = reader.tag()
  return { number: tag >>> 3, wire: tag & 7 }
}
