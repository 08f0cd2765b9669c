import { answerInvalid } from './errors.ts'
import { writeMedia } from './media.ts'
import type { RequestBody } from './media.ts'
import { writeParameter, writePath } from './parameters/write.ts'
import type { Parameter, ParameterType, Route, Success } from './route.ts'

/** What a client needs of a route: any route, whatever its handler is given. */
export type ClientRoute<Request, Result> = Omit<Route<Request, Result>, 'complete' | 'list' | 'fields'>

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
  const parameters = route.parameters ?? []
  const valueOf = (parameter: Parameter): unknown => members.get(parameter.member ?? parameter.name)
  const pairs = (place: Parameter['in']): readonly string[] =>
    parameters
      .filter(parameter => parameter.in === place)
      .flatMap(parameter => writeParameter(parameter, valueOf(parameter)))

  const path = route.path.map((part, index) => {
    if (index % 2 === 0) return part
    const parameter = parameters.find(({ name, in: place }) => place === 'path' && name === part)
    const declared = parameter ?? { name: part, in: 'path', type: 'string' }
    return writePath(declared, valueOf(declared))
  })
  const query = pairs('query').join('&')
  const accepted = new Set(route.success.flatMap(({ type = [] }) => type))
  // Errors are JSON whatever the success is.
  const headers = new Headers({ accept: [...accepted.add('application/json')].join(', ') })
  for (const parameter of parameters.filter(({ in: place }) => place === 'header')) {
    for (const text of writeParameter(parameter, valueOf(parameter))) headers.set(parameter.name, text)
  }
  // Browsers drop this header and send the cookies that they keep.
  const cookies = pairs('cookie').join('; ')
  if (cookies) headers.set('cookie', cookies)
  const body = writeBody(route.body, members.get('body'), headers)
  return { target: path.join('') + (query && `?${query}`), headers, body }
}

function writeBody(declared: RequestBody | undefined, value: unknown, headers: Headers): BodyInit | undefined {
  if (!declared || value === undefined) return undefined
  const { kind, type } = declared
  const contentType = typeof kind === 'object' && kind.typeOf ? kind.typeOf(value) : type
  if (contentType) headers.set('content-type', contentType)
  return writeMedia(declared, value)
}

/**
 * What an answer with success says, by the route's declaration: the JSON value, the text, the bytes as a stream or
 * undefined; a `Reply` around it where the route has `replies`. Throws `ApiError` ANSWER_INVALID when the body is not
 * what was declared. The value itself is not checked: answers are open.
 */
export async function readAnswer(route: ClientRoute<unknown, unknown>, answer: Response): Promise<unknown> {
  const { status, headers } = answer
  const { kind, headers: declared } = declaredFor(route, status) ?? route.success[0]
  const body = await readBody(route.method === 'HEAD' ? undefined : kind, answer)
  return route.replies ? { status, body, headers: declared && readHeaders(declared, headers) } : body
}

/** The success that a status was declared as; undefined when it is none. Exact statuses come before ranges. */
export function declaredFor(route: ClientRoute<unknown, unknown>, status: number): Success | undefined {
  const find = (wanted: Success['status']) => route.success.find(success => success.status === wanted)
  return find(status) ?? (status >= 200 && status <= 299 ? (find('2XX') ?? find('default')) : undefined)
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

async function readBody(kind: Success['kind'], answer: Response): Promise<unknown> {
  if (kind === undefined) return void (await answer.body?.cancel())
  const stream = answer.body ?? new Blob().stream()
  if (typeof kind === 'object') return kind.readAnswer(stream)
  if (kind === 'bytes') return stream
  const text = await answer.text()
  return kind === 'text' ? text : readJson(text)
}

function readHeaders(declared: Readonly<Record<string, ParameterType>>, headers: Headers): unknown {
  const found = Object.entries(declared).map(([name, type]) => [name, readHeader(type, headers.get(name))])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function readHeader(type: ParameterType, text: string | null): unknown {
  if (text === null) return undefined
  if (type === 'string') return text
  if (typeof type === 'string') return readJson(text)
  return 'array' in type ? text.split(',').map(item => readHeader(type.array, item.trim())) : text
}
