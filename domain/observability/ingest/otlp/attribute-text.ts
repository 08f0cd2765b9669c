import { invalidPayload } from '../payload-faults.ts'
import type { AnyValue, KeyValue } from './common-messages.ts'

/** The largest depth of lists and maps in a value. */
const maxDepth = 32

/**
 * The largest number of characters of a value that are put together: longer values of labels are refused, so that the
 * rest of a large list or map is not read.
 */
const maxCharacters = 4096

/**
 * Returns the text of a value for a label: a string as it is, a number or boolean in its shortest form, bytes as base64,
 * and a list or map as JSON, which is cut after 4,096 characters. Throws PAYLOAD_INVALID beyond 32 levels.
 */
export function attributeText(value: AnyValue | undefined): string {
  return value?.stringValue ?? value?.bytesValue ?? (value === undefined ? '' : scalar(value)) ?? jsonText(value, 0)
}

/** Returns the text of a boolean or number, and an empty text for an empty value; undefined for lists and maps. */
function scalar({ arrayValue, boolValue, doubleValue, intValue, kvlistValue }: AnyValue): string | undefined {
  if (boolValue !== undefined) return String(boolValue)
  if (intValue !== undefined) return intValue
  if (doubleValue !== undefined) return String(doubleValue)
  return arrayValue === undefined && kvlistValue === undefined ? '' : undefined
}

function jsonText(value: AnyValue | undefined, depth: number): string {
  if (depth > maxDepth) throw invalidPayload(`has a value of more than ${maxDepth} levels`)
  if (value === undefined) return 'null'
  const { arrayValue, kvlistValue } = value
  const quoted = value.stringValue ?? value.bytesValue
  if (quoted !== undefined) return JSON.stringify(quoted)
  if (arrayValue) return `[${joined(arrayValue.values, element => jsonText(element, depth + 1))}]`
  const member = ({ key = '', value: of }: KeyValue) => `${JSON.stringify(key)}:${jsonText(of, depth + 1)}`
  if (kvlistValue) return `{${joined(kvlistValue.values, member)}}`
  const text = scalar(value) ?? ''
  return text === '' || !Number.isFinite(value.doubleValue ?? 0) ? JSON.stringify(text || null) : text
}

/** Joins the texts of elements by commas, up to the largest number of characters. */
function joined<Element>(elements: Iterable<Element>, textOf: (element: Element) => string): string {
  let text = ''
  for (const element of elements) {
    if (text.length > maxCharacters) break
    text += `${text && ','}${textOf(element)}`
  }
  return text
}
