import type { Written } from './parameters/write.ts'
import type { ClientRoute, Method, Success } from './route.ts'

/** A request as it goes out, but for the token and the server's address. */
export interface Outgoing extends Readonly<Pick<Written, 'headers' | 'body' | 'signal'>> {
  /** Path and query. */
  readonly target: string
}

/**
 * Writes a request: the inverse of what the server reads. Throws `TypeError` where a value cannot be written, such as
 * an empty path parameter. `signal` ends it.
 */
export function writeRequest(route: ClientRoute<unknown, unknown>, request: object, signal: AbortSignal): Outgoing {
  const { body, parameters = [], success } = route
  // A parameter may be called like what every object inherits.
  const members: Readonly<Record<string, unknown>> = { __proto__: null, ...request }
  // Errors are JSON whatever the success is.
  const accepted = new Set([...success.map(({ type = json }) => type), json])
  const headers = new Headers({ accept: [...accepted].join(', ') })
  const written: Written = { path: new Map(), query: '', headers, body: null, signal }
  for (const parameter of parameters) parameter.write(parameter, members[parameter.member ?? parameter.name], written)
  if (members.body !== undefined) body?.write(body, members.body, written)
  const path = route.path.map((part, index) => {
    const text = index % 2 === 0 ? part : written.path.get(part)
    if (text === undefined) throw new TypeError(`path parameter "${part}" is not declared`)
    return text
  })
  return { target: path.join('') + written.query, headers, body: written.body, signal }
}

const json = 'application/json'

/**
 * What the body of an answer says: the JSON value, what its codec makes of it, or undefined where none is declared.
 * Throws `SyntaxError` when it is no JSON. The value itself is not checked: answers are open.
 */
export async function readAnswer(method: Method, kind: Success['kind'], answer: Response): Promise<unknown> {
  if (!kind || method === 'HEAD') return void (await answer.body?.cancel())
  return kind === 'json' ? JSON.parse(await answer.text()) : kind.readAnswer(answer.body)
}

/** What an answer without success says: a JSON object or list, whatever its content type is, else the text. */
export async function readErrorBody(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : text
  } catch {
    return text
  }
}
