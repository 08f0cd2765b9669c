import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { RemoteFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type { RemoteCredentials, RemotePlace } from '../../../domain/storage/remote-store/remote-store.ts'

/** The largest answer that is read, in bytes: a page of 1,000 names of 1,024 escaped bytes has less. */
const maxAnswerBytes = 16 * 2 ** 20

/** The number of times that a request is sent until the store answers. */
const maxAttempts = 3

/** The longest times of requests, in milliseconds. */
export interface StoreTimes {
  /** Until a connection is there. */
  readonly connectionMs: number
  /** Until a byte of the answer arrives. */
  readonly answerMs: number
  /** For the body of an answer. */
  readonly bodyMs: number
  /** For a request with its repetitions. */
  readonly patienceMs: number
}

/** The times of the platform. */
export const storeTimes: StoreTimes = { connectionMs: 3000, answerMs: 10_000, bodyMs: 30_000, patienceMs: 30_000 }

/**
 * Returns the client of an account. It follows no redirection, signs no checksum that a store may not know, reads no
 * setting of the host, and reads at most 16 MiB of an answer.
 */
export function boundedClient(place: RemotePlace, credentials: RemoteCredentials, times: StoreTimes): S3Client {
  const { answerMs: requestTimeout, bodyMs, connectionMs: connectionTimeout } = times
  const client = new S3Client({
    endpoint: place.endpoint,
    region: place.region,
    forcePathStyle: place.forcePathStyle,
    credentials: { ...credentials },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    disableS3ExpressSessionAuth: true,
    followRegionRedirects: false,
    maxAttempts,
    retryMode: 'standard',
    userAgentAppId: 'ninefold',
    requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
  })
  // The lowest priority of the step comes directly after the answer: before its XML is parsed.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const result = await next(args)
        bound(result.response, { bodyMs, isContent: commandName === 'GetObjectCommand' })
        return result
      },
    { step: 'deserialize', priority: 'low', name: 'boundAnswer' },
  )
  return client
}

interface Bounds {
  readonly bodyMs: number
  /** Whether the answer has the content of an object, and not XML. */
  readonly isContent: boolean
}

/**
 * Replaces the body of an answer by a stream that fails after the largest number of bytes, and, for an answer of success
 * that must be XML or empty, for other bytes: the client ignores the bodies of many answers.
 */
function bound(response: unknown, { bodyMs, isContent }: Bounds): void {
  if (typeof response !== 'object' || response === null) return
  const body: unknown = Reflect.get(response, 'body')
  const status: unknown = Reflect.get(response, 'statusCode')
  if (!(body instanceof Readable)) return
  const isXml = !isContent && typeof status === 'number' && status < 300
  const read = limited(body, bodyMs)
  Reflect.set(response, 'body', Readable.from(isXml ? xmlAlone(read) : read, { objectMode: false }))
}

/** Passes a body on that begins as XML does, after any white space. Throws for HTML and for other bytes. */
async function* xmlAlone(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let begin = ''
  for await (const chunk of body) {
    if (begin.length < 16) {
      begin = (begin + chunk.toString('utf8')).replace(/^[\s\ufeff]+/, '').slice(0, 16)
      if (begin !== '' && !/^<(?!html|!doctype)/i.test(begin))
        throw new RemoteFault('unavailable', 'the S3 store answers what is no XML')
    }
    yield chunk
  }
}

async function* limited(body: Readable, bodyMs: number): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  const slow = new RemoteFault('unavailable', 'the S3 store sends its answer too slowly')
  const timer = setTimeout(() => body.destroy(slow), bodyMs)
  try {
    for await (const chunk of body) {
      const part = Buffer.from(chunk)
      bytes += part.length
      if (bytes > maxAnswerBytes)
        throw new RemoteFault('unavailable', `the S3 store answers with more than ${maxAnswerBytes} bytes`)
      yield part
    }
  } finally {
    clearTimeout(timer)
  }
}
