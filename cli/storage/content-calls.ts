import { setTimeout as sleep } from 'node:timers/promises'
import type { PresignedUrl } from '../../output/storage/types.ts'
import { ApiError, clientReasons } from '../../runtime/errors.ts'
import { readErrorBody } from '../../runtime/reply.ts'
import { fromStatus } from '../../runtime/status.ts'

/** The number of attempts of a transfer, and the pause before the second in milliseconds; each further pause doubles. */
const attempts = 6
const firstPauseMs = 200

/** The statuses after which an equal transfer may succeed. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Returns a URL for an attempt: URLs expire, so that a transfer asks for one when it needs one. */
type AskUrl = () => Promise<PresignedUrl>

/** Sends bytes to a signed URL, and returns the entity tag of the answer without its quotes. */
export const sendContent = (askUrl: AskUrl, body: Uint8Array<ArrayBuffer>): Promise<string> =>
  persistently(async () => {
    const { headers, url } = await askUrl()
    const answer = await fetch(url, { method: 'PUT', headers, body, redirect: 'error' })
    if (!answer.ok) throw await refusalOf(answer)
    await answer.body?.cancel()
    return (answer.headers.get('etag') ?? '').replaceAll('"', '')
  })

/**
 * Receives a part of a content from a signed URL: bytes from `start` on. `etag` is the entity tag of the content, so
 * that parts of two contents never mix.
 */
export const receiveContent = (
  askUrl: AskUrl,
  { etag, length, start }: { readonly etag: string; readonly start: number; readonly length: number },
): Promise<Uint8Array> =>
  persistently(async () => {
    const { headers, url } = await askUrl()
    const range = { range: `bytes=${start}-${start + length - 1}`, 'if-match': `"${etag}"` }
    const answer = await fetch(url, { headers: { ...headers, ...range }, redirect: 'error' })
    if (answer.status !== 206) throw await refusalOf(answer)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (bytes.length !== length) throw connectionFailed(`${bytes.length} of ${length} bytes arrived`)
    return bytes
  })

async function persistently<R>(transfer: () => Promise<R>): Promise<R> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await transfer()
    } catch (error) {
      const failure = error instanceof ApiError ? error : connectionFailed(`a transfer got no answer: ${error}`, error)
      if (tried === attempts || !isPassing(failure)) throw failure
      const { retryAfterSeconds = 0 } = failure.details
      await sleep(Math.max(firstPauseMs * 2 ** (tried - 1), retryAfterSeconds * 1000))
    }
  }
}

const isPassing = ({ reason, response }: ApiError): boolean =>
  response === undefined
    ? reason === 'CONNECTION_FAILED'
    : passing.has(response.status) || reason === 'PRESIGNED_URL_EXPIRED'

const refusalOf = async (answer: Response): Promise<ApiError> => fromStatus(answer, await readErrorBody(answer))

function connectionFailed(message: string, cause?: unknown): ApiError {
  return Object.assign(new ApiError(clientReasons.CONNECTION_FAILED, message), { cause })
}
