import type { PresignedUrl } from '../../../../output/storage/types.ts'
import type { WireAnswer } from '../../../../runtime/wire.ts'
import type { TestPlatform } from '../../../areas/test-platform.ts'

/** A request as its bytes say, which no client library has normalised. */
export interface RawRequest {
  readonly method: string
  /** The path of the target, percent-encoded. */
  readonly path: string
  /** The parameters of the query, each with its name and value percent-encoded. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: string | undefined
}

/** Returns the request that a presigned URL allows. */
export function requestOf({ headers, method, url }: PresignedUrl, body?: string): RawRequest {
  const [base = '', query = ''] = url.split('?')
  const { host, origin } = new URL(url)
  return {
    method: method.replace('STORAGE_HTTP_METHOD_', ''),
    path: base.slice(origin.length),
    query: query.split('&').map(part => [part.split('=')[0] ?? '', part.slice(part.indexOf('=') + 1)] as const),
    headers: { host, ...headers },
    body,
  }
}

/** Sends a request to a platform; returns the status, and the reason and the message of an error. */
export async function sendRaw(
  { dispatch }: Pick<TestPlatform, 'dispatch'>,
  { body, headers, method, path, query }: RawRequest,
): Promise<{
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly answer: WireAnswer
}> {
  const target = `${path}?${query.map(part => part.join('=')).join('&')}`
  const sent = body === undefined ? undefined : chunksOf(body)
  const { signal } = new AbortController()
  const answer = await dispatch({ method, target, headers, body: sent, signal, clientAddress: '192.0.2.7' })
  const isError = typeof answer.body === 'string' && answer.body.includes('"details"')
  if (answer.body instanceof ReadableStream) await answer.body.cancel()
  const { details, message }: { details: readonly { reason?: string }[]; message: string } = isError
    ? JSON.parse(String(answer.body))
    : { details: [], message: '' }
  const reason = details.find(each => each.reason !== undefined)?.reason ?? ''
  return { status: answer.status, reason, message, answer }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield new TextEncoder().encode(text)
}
