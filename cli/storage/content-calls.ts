import type { Readable } from 'node:stream'
import { persistently } from './persistence.ts'
import type { Progress } from './progress.ts'
import { getRange, put, type Content, type Signed } from './signed-requests.ts'
import { connectionFailed, faultOf } from './transfer-faults.ts'

/** Returns a URL for an attempt: URLs expire, so that a transfer asks for one when it needs one. */
type AskUrl = () => Promise<Signed>

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
    const signed = await askUrl()
    const range = { range: `bytes=${start}-${start + length - 1}`, 'if-match': `"${etag}"` }
    return take(exactly(await getRange(signed, range), length))
  })

/**
 * Returns a function that iterates over the chunks of an attempt and counts each one that has moved; a further attempt
 * takes back what the one before has counted.
 */
export function countedAttempts(progress: Pick<Progress, 'moved'>) {
  let counted = 0
  return async function* <Chunk extends Uint8Array>(
    chunks: AsyncIterable<Chunk>,
  ): AsyncGenerator<Chunk, void, undefined> {
    progress.moved(-counted)
    counted = 0
    for await (const chunk of chunks) {
      yield chunk
      counted += chunk.length
      progress.moved(chunk.length)
    }
  }
}

/** Iterates over the chunks of an answer. Throws CONNECTION_FAILED unless they have `length` bytes in all. */
async function* exactly(answer: Readable, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  let arrived = 0
  try {
    for await (const chunk of answer) {
      arrived += chunk.length
      if (arrived > length) break
      yield chunk
    }
  } catch (error) {
    throw faultOf(error)
  } finally {
    answer.destroy()
  }
  if (arrived !== length) throw connectionFailed(`${arrived} of ${length} bytes arrived`)
}
