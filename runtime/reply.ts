import { isBytes } from './body.ts'
import { JsonText } from './json.ts'
import { taken } from './media.ts'
import type { OneKind } from './media.ts'
import type { ParameterType } from './parameters/types.ts'
import { asciiJson } from './parameters/write.ts'
import type { Method, ReadReply, Route, Success } from './route.ts'
import { isRecord } from './validation.ts'
import type { WireAnswer } from './wire.ts'

/** The content type of a `Success` whose type is a range such as `image/*`. */
const anyBytes = 'application/octet-stream'

/** Converts the result of a handler to an answer. Throws for an undeclared result, which is a defect of the server. */
export function replyOf(route: Route<unknown, unknown>, result: unknown): WireAnswer {
  const [first] = route.success
  if (route.replies === undefined)
    return writeBody(typeof first.status === 'number' ? first.status : 200, first, result, {})
  if (!isRecord(result) || typeof result.status !== 'number') throw new Error('the handler gave no status')
  const { status, body } = result
  const success = declaredFor(route.success, status)
  if (success === undefined) throw new Error(`the handler answered status ${status}, which is not declared`)
  return writeBody(status, success, body, isRecord(result.headers) ? writeHeaders(result.headers, success.headers) : {})
}

/** Returns the declared success of a status; exact statuses take precedence over ranges. */
function declaredFor(successes: readonly Success[], status: number): Success | undefined {
  const find = (wanted: Success['status']) => successes.find(success => success.status === wanted)
  return find(status) ?? (Math.trunc(status / 100) === 2 ? find('2XX') : undefined) ?? find('default')
}

type Lines = WireAnswer['headers']

/**
 * Writes headers, of which some may be declared as JSON. A list is one line, but for `Set-Cookie`, whose items contain
 * commas (RFC 6265 §3).
 */
function writeHeaders(given: Record<string, unknown>, declared: Success['headers'] = {}): Lines {
  const headers: Lines = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const lines = declared[name] === 'json' ? [`${asciiJson(JSON.stringify(value))}`] : [value].flat().map(String)
    if (lines.some(line => /[^\t\x20-\x7e\x80-\xff]/.test(line)))
      throw new Error(`header "${name}" holds a character that headers cannot`)
    headers[name.toLowerCase()] = isCookie(name) ? lines : lines.join(', ')
  }
  return headers
}

const isCookie = (name: string): boolean => name.toLowerCase() === 'set-cookie'

function writeBody(
  status: number,
  { kind, type = anyBytes }: Pick<Success, 'kind' | 'type'>,
  body: unknown,
  headers: Lines,
): WireAnswer {
  if (kind === undefined || body === undefined || status === 204 || status === 304) return { status, headers }
  if (kind !== 'json' && kind.name === 'choice') {
    const { body: inner, contentType } = taken(body)
    const picked = kind.pick(contentType)
    return writeBody(status, picked, inner, writeHeaders({ ...headers, 'content-type': String(contentType) }))
  }
  const isBlob = body instanceof Blob
  if (isBlob) headers['content-length'] = String(body.size)
  if (kind !== 'json' && kind.name === 'events') headers['cache-control'] ??= 'no-store'
  // A content type among the declared headers takes precedence.
  headers['content-type'] ??= type.includes('*') ? (isBlob && body.type) || anyBytes : type
  return { status, headers, body: contentOf(kind, body) }
}

function contentOf(kind: OneKind, body: unknown): NonNullable<WireAnswer['body']> {
  if (body instanceof JsonText && (kind === 'json' || kind.name === 'exact' || kind.name === 'text')) return body.data
  if (kind === 'json') return JSON.stringify(body)
  if (kind.name === 'text') return String(body)
  if (kind.name === 'exact' || kind.name === 'lines' || kind.name === 'events') return kind.write(body)
  if (!isBytes(body)) throw new Error('the handler gave no bytes')
  return body instanceof Blob ? body.stream() : body
}

/**
 * Reads an answer as a `Reply`. Routes of clients have this function in their member `replies`. Returns undefined for
 * an undeclared answer.
 */
export const readReply: ReadReply = ({ method, success }, answer) => {
  const { ok, status } = answer
  const exact = success.find(declared => declared.status === status)
  const declared = exact ?? (ok ? (declaredFor(success, status) ?? success[0]) : undefined)
  const headers = declared?.headers && readHeaders(declared.headers, answer.headers)
  return declared && readAnswer(method, declared.kind, answer).then(body => ({ status, body, headers }))
}

function readHeaders(declared: Readonly<Record<string, ParameterType>>, headers: Headers): unknown {
  const found = Object.entries(declared).map(([name, type]) => [
    name,
    typeof type === 'object' && isCookie(name) ? cookiesIn(headers) : readHeader(type, headers.get(name)),
  ])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function cookiesIn(headers: Headers): readonly string[] | undefined {
  const lines = headers.getSetCookie()
  return lines.length > 0 ? lines : undefined
}

function readHeader(type: ParameterType, text: string | null): unknown {
  if (text === null) return undefined
  if (type === 'string') return text
  if (type === 'bigint') return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
  if (typeof type === 'string') return parsed(text, type)
  if (!('array' in type)) return text
  const items = text.split(',').map(item => readHeader(type.array, item.trim()))
  return items.includes(undefined) ? undefined : items
}

/** Returns the value of a header; undefined if the value is not as declared, because the call has succeeded anyway. */
function parsed(text: string, type: ParameterType): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (type === 'integer' && !Number.isSafeInteger(value)) return undefined
    return type === 'json' || typeof value === (type === 'boolean' ? type : 'number') ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the body of an answer: the JSON value, or the value of its codec; undefined for HEAD, and if no body is
 * declared. Throws `SyntaxError` for invalid JSON. The value is not checked, because answers are open.
 */
export async function readAnswer(method: Method, kind: Success['kind'], answer: Response): Promise<unknown> {
  if (!kind || method === 'HEAD') return void (await answer.body?.cancel())
  return kind === 'json' ? answer.json() : kind.readAnswer(answer.body, answer)
}

/**
 * Returns the body of an error answer: the value of a JSON object or list, whatever its content type is, otherwise the
 * text.
 */
export async function readErrorBody(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : text
  } catch {
    return text
  }
}
