import { fieldInvalid } from '../../../runtime/refusal.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** The media type of an object that is uploaded without a type. */
const defaultType = 'application/octet-stream'

/** Matches the media types that the calls of the area take too, so that every stored type can be answered as a header. */
const typeShape = /^[ -~]{1,255}$/

/** Returns the media type of an upload. Throws FIELD_INVALID for a type that is too long or not of printable ASCII. */
export function typeOf({ 'content-type': type }: Headers): string {
  if (type === undefined || type === '') return defaultType
  if (typeShape.test(type)) return type
  throw fieldInvalid([{ field: 'Content-Type', description: 'must have at most 255 printable ASCII characters' }])
}

/**
 * Throws FIELD_INVALID for a body that its sender calls a part of an object (RFC 9110 §14.5): the part would otherwise
 * replace the object.
 */
export function requireWholeBody({ 'content-range': range }: Headers): void {
  if (range === undefined) return
  throw fieldInvalid([{ field: 'Content-Range', description: 'must be absent; upload large objects in parts' }])
}
