import { setTimeout as sleep } from 'node:timers/promises'
import type { PresignedUrl } from '../../output/storage/types.ts'
import { ApiError } from '../../runtime/errors.ts'
import { put, type Content } from './put.ts'
import { connectionFailed, faultOf, refusalOf } from './transfer-faults.ts'

/** The number of attempts of a transfer, and the pause before the second in milliseconds; each further pause doubles. */
const attempts = 6
const firstPauseMs = 200

/** The statuses after which an equal transfer may succeed. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Returns a URL for an attempt: URLs expire, so that a transfer asks for one when it needs one. */
type AskUrl = () => Promise<Pick<PresignedUrl, 'headers' | 'url'>>

/** Sends bytes to a signed URL, and returns the entity tag of the answer without its quotes. */
export const sendContent = (askUrl: AskUrl, content: Content): Promise<string> =>
  persistently(async () => (await put(await askUrl(), content)).replaceAll('"', ''))

/**
 * Receives a part of a content from a signed URL: bytes from `start` on. `etag` is the entity tag of the content, so
 * that parts of two contents never mix. `take` receives the bytes of each attempt from the first on, exactly `length`.
 */
export const receiveContent = <R>(
  askUrl: AskUrl,
  { etag, length, start }: { readonly etag: string; readonly start: number; readonly length: number },
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<R>,
): Promise<R> =>
  persistently(async () => {
    const { headers, url } = await askUrl()
    const range = { range: `bytes=${start}-${start + length - 1}`, 'if-match': `"${etag}"` }
    const answer = await fetch(url, { headers: { ...headers, ...range }, redirect: 'error' }).catch(thrown)
    if (answer.status !== 206) throw await refusalOf(answer)
    return take(exactly(answer.body ?? new ReadableStream(), length))
  })

/** Iterates over the chunks of an answer. Throws CONNECTION_FAILED unless they have `length` bytes in all. */
async function* exactly(body: ReadableStream<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  let arrived = 0
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(thrown)
      if (done) break
      arrived += value.length
      if (arrived > length) break
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (arrived !== length) throw connectionFailed(`${arrived} of ${length} bytes arrived`)
}

async function persistently<R>(transfer: () => Promise<R>): Promise<R> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await transfer()
    } catch (error) {
      if (!(error instanceof ApiError) || tried === attempts || !isPassing(error)) throw error
      const { retryAfterSeconds = 0 } = error.details
      await sleep(Math.max(firstPauseMs * 2 ** (tried - 1), retryAfterSeconds * 1000))
    }
  }
}

const isPassing = ({ reason, response }: ApiError): boolean =>
  response === undefined
    ? reason === 'CONNECTION_FAILED'
    : passing.has(response.status) || reason === 'PRESIGNED_URL_EXPIRED'

function thrown(error: unknown): never {
  throw faultOf(error)
}
