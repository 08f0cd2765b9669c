import { malformedMessage } from '../../ingest/payload-faults.ts'
import { encodeMessage } from '../../ingest/wire/encode-message.ts'
import { Budget } from '../../ingest/wire/message-reader.ts'
import type { OtlpShape } from './otlp-shapes.ts'
import { countedPlaces, type OwnAttributes } from './own-attributes.ts'
import { wireFields } from './wire-fields.ts'

/** A request with the attributes of the platform, and the number of its items. */
export interface LabelledRequest {
  readonly body: Uint8Array
  readonly items: number
}

/** The number of the field with the resource of a message. */
const resourceField = 1

/**
 * Returns a request of OTLP in protobuf with the own attributes in place of those of the sender, and without fields that
 * may have others. Throws PAYLOAD_INVALID for bytes that are no message, and PAYLOAD_TOO_LARGE.
 */
export function labelProtobuf(request: Uint8Array, shape: OtlpShape, own: OwnAttributes): LabelledRequest {
  let items = 0
  const budget = new Budget()
  const countPlace = countedPlaces(own)
  const attributes = own.pairs.map(([key, value]) => keyValue(key, value))
  const label = (message: Uint8Array, of: OtlpShape): Uint8Array => {
    budget.spend()
    if (of.isItem) items += 1
    if (of.attributes !== undefined) countPlace()
    const parts: Uint8Array[] = []
    const resources: Uint8Array[] = []
    const resource = of.fields?.find(({ name }) => name === 'resource')
    for (const { bytes, number, raw } of wireFields(message)) {
      const inner = of.fields?.find(each => each.number === number)
      if (number === of.attributes) {
        if (bytes === undefined) throw malformedMessage()
        if (!isReplaced(bytes, own)) parts.push(raw)
      } else if (inner === undefined) {
        if (isSentOn(number, of)) parts.push(raw)
      } else if (bytes === undefined) throw malformedMessage()
      // Decoders merge the resources of a message, as their bytes one after the other are one resource.
      else if (inner === resource) resources.push(bytes)
      else parts.push(encodeMessage([[number, label(bytes, inner.shape)]]))
    }
    if (resource) parts.push(encodeMessage([[resourceField, label(Buffer.concat(resources), resource.shape)]]))
    const { attributes: number } = of
    if (number !== undefined) parts.push(encodeMessage(attributes.map(attribute => [number, attribute])))
    return Buffer.concat(parts)
  }
  return { body: label(request, shape), items }
}

const isSentOn = (number: number, { others }: OtlpShape): boolean =>
  others === undefined || others.some(other => other.number === number)

const keyValue = (key: string, value: string): Uint8Array =>
  encodeMessage([
    [1, key],
    [2, encodeMessage([[1, value]])],
  ])

/** The numbers of fields of attributes (opentelemetry/proto/common): the key, the value, and a map in the value. */
const attributeFields = { key: 1, value: 2, map: 6 } as const

/** Whether an attribute of the sender gives way. */
function isReplaced(attribute: Uint8Array, own: OwnAttributes): boolean {
  const all = [...wireFields(attribute)]
  const inside = (wanted: number) => all.flatMap(({ bytes, number }) => (number === wanted && bytes ? [bytes] : []))
  const isMap = inside(attributeFields.value).some(value =>
    [...wireFields(value)].some(({ number }) => number === attributeFields.map),
  )
  const keys = inside(attributeFields.key).map(key => new TextDecoder().decode(key))
  return (keys.length === 0 ? [''] : keys).some(key => own.replaces(key, isMap))
}
