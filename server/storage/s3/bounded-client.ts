import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { RemoteFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type { RemoteCredentials, RemotePlace } from '../../../domain/storage/remote-store/remote-store.ts'

/** The largest answer that is read, in bytes: a page of 1,000 names of 1,024 escaped bytes has less. */
const maxAnswerBytes = 16 * 2 ** 20

/** The number of times that a request is sent until the store answers. */
const maxAttempts = 3

/** The longest times in milliseconds until a connection is there, and until a byte of the answer arrives. */
const connectionTimeout = 3000
const requestTimeout = 10_000

/** The longest time for the body of an answer, in milliseconds. */
const bodyTimeout = 30_000

/**
 * Returns the client of an account. It follows no redirection, signs no checksum that a store may not know, reads no
 * setting of the host, and reads at most 16 MiB of an answer.
 */
export function boundedClient(place: RemotePlace, credentials: RemoteCredentials): S3Client {
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
    next => async args => {
      const result = await next(args)
      bound(result.response)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'boundAnswer' },
  )
  return client
}

/** Replaces the body of an answer by a stream that fails after the largest number of bytes. */
function bound(response: unknown): void {
  if (typeof response !== 'object' || response === null) return
  const body: unknown = Reflect.get(response, 'body')
  if (body instanceof Readable) Reflect.set(response, 'body', Readable.from(limited(body), { objectMode: false }))
}

async function* limited(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  const slow = new RemoteFault('unavailable', 'the S3 store sends its answer too slowly')
  const timer = setTimeout(() => body.destroy(slow), bodyTimeout)
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
