// Copied by ninefold. Do not edit: generate writes it again.

import { answerInvalid } from './errors.ts'
import { writeMedia } from './media.ts'
import type { RequestBody } from './media.ts'
import type { Written } from './parameters/write.ts'
import type { ClientRoute, Method, Success } from './route.ts'

/** A request as it goes out, but for the token and the server's address. */
export interface Outgoing {
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  readonly body: BodyInit | undefined
}

/**
 * Writes a request: the inverse of what the server reads. Throws `TypeError` where a value cannot be written, such as
 * an empty path parameter.
 */
export function writeRequest(route: ClientRoute<unknown, unknown>, request: object): Outgoing {
  const members = new Map<string, unknown>(Object.entries(request))
  // Errors are JSON whatever the success is.
  const accepted = new Set([...route.success.flatMap(({ type = [] }) => type), 'application/json'])
  const written: Written = { path: new Map(), query: [], headers: new Headers({ accept: [...accepted].join(', ') }) }
  for (const parameter of route.parameters ?? []) {
    parameter.write(parameter, members.get(parameter.member ?? parameter.name), written)
  }
  const { headers, path, query } = written
  const parts = route.path.map((part, index) => {
    const text = index % 2 === 0 ? part : path.get(part)
    if (text === undefined) throw new TypeError(`path parameter "${part}" is not declared`)
    return text
  })
  const target = parts.join('')
  return {
    target: query.length > 0 ? `${target}?${query.join('&')}` : target,
    headers,
    body: route.body && writeBody(route.body, members.get('body'), headers),
  }
}

function writeBody(declared: RequestBody, value: unknown, headers: Headers): BodyInit | undefined {
  if (value === undefined) return undefined
  const { kind, type } = declared
  const contentType = kind !== 'json' && kind.typeOf ? kind.typeOf(value) : type
  if (contentType) headers.set('content-type', contentType)
  return writeMedia(declared, value)
}

/**
 * What the body of an answer says: the JSON value, what its codec makes of it, or undefined where none is declared.
 * Throws `ApiError` ANSWER_INVALID when it is no JSON. The value itself is not checked: answers are open.
 */
export async function readAnswer(method: Method, kind: Success['kind'], answer: Response): Promise<unknown> {
  if (!kind || method === 'HEAD') return void (await answer.body?.cancel())
  return kind === 'json' ? readJson(await answer.text()) : kind.readAnswer(answer.body ?? new Blob().stream())
}

/** The value that JSON text says. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw answerInvalid(
      `the server answered with ${text ? 'text that is not JSON' : 'an empty body'}, where JSON is declared`,
    )
  }
}

/** What an answer without success says: the JSON value where the media type says so and it is one, else the text. */
export async function readErrorBody(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    return /[/+]json\b/i.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
  } catch {
    return text
  }
}
