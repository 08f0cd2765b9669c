import { isBytes } from './bytes.ts'
import { JsonText } from './json.ts'
import type { Route, Success } from './route.ts'
import { isRecord } from './validation.ts'
import type { WireAnswer } from './wire.ts'

/** Content type of a `Success` whose type is a range such as `image/*`. */
const anyBytes = 'application/octet-stream'

/**
 * What a handler answered, as it goes over the wire. Throws when it answered something that its operation does not
 * declare: a defect, not an error of the caller.
 */
export function replyOf(route: Route<unknown, unknown>, result: unknown): WireAnswer {
  const [first] = route.success
  if (route.replies === undefined)
    return writeBody(typeof first.status === 'number' ? first.status : 200, first, result, {})
  if (!isRecord(result) || typeof result.status !== 'number') throw new Error('the handler gave no status')
  const { status, body } = result
  const success =
    route.success.find(declared => declared.status === status) ??
    route.success.find(declared => declared.status === '2XX' && Math.trunc(status / 100) === 2) ??
    route.success.find(declared => declared.status === 'default')
  if (success === undefined) throw new Error(`the handler answered status ${status}, which is not declared`)
  return writeBody(status, success, body, isRecord(result.headers) ? writeHeaders(result.headers) : {})
}

function writeHeaders(given: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) throw new Error(`header "${name}" holds a character that headers cannot`)
    headers[name.toLowerCase()] = text
  }
  return headers
}

function writeBody(
  status: number,
  { kind, type = anyBytes }: Success,
  body: unknown,
  headers: Record<string, string>,
): WireAnswer {
  if (kind === undefined || body === undefined || status === 204 || status === 304) return { status, headers }
  if (typeof kind === 'object') {
    if (kind.name === 'events') headers['cache-control'] ??= 'no-store'
    return { status, headers: withType(headers, type), body: kind.write(body) }
  }
  if (kind !== 'bytes') {
    const text = body instanceof JsonText ? body.text : kind === 'text' ? String(body) : JSON.stringify(body)
    return { status, headers: withType(headers, type), body: text }
  }
  if (!isBytes(body)) throw new Error('the handler gave no bytes')
  const isBlob = body instanceof Blob
  const contentType = !type.includes('*') ? type : (isBlob && body.type) || anyBytes
  if (isBlob) headers['content-length'] = String(body.size)
  return { status, headers: withType(headers, contentType), body: isBlob ? body.stream() : body }
}

/** A type among the declared headers stays. */
function withType(headers: Record<string, string>, type: string): Record<string, string> {
  headers['content-type'] ??= type
  return headers
}
