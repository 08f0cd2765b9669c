// Copied by ninefold. Do not edit: generate writes it again.

import { headerLines } from '../wire.ts'
import type { Dispatch } from '../wire.ts'

/** The facts of a caller that are not in its request. */
export interface Caller {
  readonly clientAddress?: string
}

/** Returns a function that answers requests of the Fetch standard: `(request) => Promise<Response>`. */
export function fetchHost(dispatch: Dispatch): (request: Request, caller?: Caller) => Promise<Response> {
  return async (request, { clientAddress = '' } = {}) => {
    const { method, url, signal } = request
    const [, target = '/'] = /^[^/]*\/\/[^/?#]*([^#]*)/.exec(url) ?? []
    const headers = Object.fromEntries(request.headers)
    const answer = await dispatch({
      method,
      target,
      headers,
      body: request.body ?? undefined,
      signal,
      clientAddress,
    })
    const { status, body } = answer
    const isBare = method === 'HEAD' || status === 204 || status === 304
    return new Response(isBare ? null : body, { status, headers: headerLines(answer.headers) })
  }
}
