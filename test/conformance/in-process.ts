import type { RequestSender } from '../../generator/conform/call.ts'
import { headerLines } from '../../runtime/wire.ts'
import type { Dispatch, WireAnswer } from '../../runtime/wire.ts'

/** Returns a sender that calls a dispatcher in this process, with unchanged paths and headers. */
export function callTo(dispatch: Dispatch): RequestSender {
  return async ({ method, target, headers, body }) => {
    const sent = body === undefined ? undefined : new Blob([body])
    const answer = await dispatch({
      method,
      target,
      headers: sent === undefined ? headers : { ...headers, 'content-length': String(sent.size) },
      body: sent?.stream(),
      signal: new AbortController().signal,
      clientAddress: '127.0.0.1',
    })
    const answered = Object.fromEntries(new Headers(headerLines(answer.headers)))
    return { status: answer.status, headers: answered, body: method === 'HEAD' ? '' : await textOf(answer) }
  }
}

const textOf = async ({ body }: WireAnswer): Promise<string> => new Response(body).text()
