import { base64, double, flag, integerText, text, type Kind } from '../wire/kinds.ts'
import { many, MessageKind, one } from '../wire/message.ts'

/** A value of an attribute (opentelemetry/proto/common/v1); one member is set, or none for an empty value. */
export interface AnyValue {
  readonly stringValue: string | undefined
  readonly boolValue: boolean | undefined
  /** The decimal form of the integer. */
  readonly intValue: string | undefined
  readonly doubleValue: number | undefined
  readonly arrayValue: { readonly values: Iterable<AnyValue> } | undefined
  readonly kvlistValue: { readonly values: Iterable<KeyValue> } | undefined
  /** The bytes as base64. */
  readonly bytesValue: string | undefined
}

/** An attribute. */
export interface KeyValue {
  readonly key: string | undefined
  readonly value: AnyValue | undefined
}

/** The kind of attributes. It is read through functions, because values contain values. */
export const keyValue: Kind<KeyValue> = {
  wire: 2,
  fromProtobuf: reader => attribute.fromProtobuf(reader),
  fromJson: (value, name) => attribute.fromJson(value, name),
}

/** The kind of values. */
export const anyValue: Kind<AnyValue> = {
  wire: 2,
  fromProtobuf: reader => attributeValue.fromProtobuf(reader),
  fromJson: (value, name) => attributeValue.fromJson(value, name),
}

const attributeValue = new MessageKind({
  stringValue: one(1, text),
  boolValue: one(2, flag),
  intValue: one(3, integerText),
  doubleValue: one(4, double),
  arrayValue: one(5, new MessageKind({ values: many(1, anyValue) })),
  kvlistValue: one(6, new MessageKind({ values: many(1, keyValue) })),
  bytesValue: one(7, base64),
})

const attribute = new MessageKind({ key: one(1, text), value: one(2, anyValue) })

/** The process that sends telemetry (opentelemetry/proto/resource/v1). */
export const resource = new MessageKind({ attributes: many(1, keyValue) })

/** The library that records telemetry (InstrumentationScope of opentelemetry/proto/common/v1). */
export const scope = new MessageKind({ name: one(1, text), version: one(2, text) })

/** The value that a kind reads. */
export type Read<Of> = Of extends Kind<infer Value> ? Value : never
