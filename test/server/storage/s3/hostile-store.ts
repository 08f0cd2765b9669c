import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { RemoteStore } from '../../../../domain/storage/remote-store/remote-store.ts'
import type { StoreTimes } from '../../../../server/storage/s3/bounded-client.ts'
import { openS3Store } from '../../../../server/storage/s3/s3-store.ts'
import type { Later } from '../../store/harness.ts'

/** Answers a request as a faulty store does. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server that answers as a faulty store does. */
export interface HostileStore {
  readonly url: string
  readonly account: RemoteStore
  /** The number of requests that have come. */
  readonly requests: () => number
}

/** Starts a server that answers all requests by `answer`; `later` ends it. The account has `times`. */
export async function hostileStore(
  answer: Answer,
  later: Later = onTestFinished,
  times?: StoreTimes,
): Promise<HostileStore> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server listens at no port')
  const url = `http://127.0.0.1:${address.port}`
  const place = { endpoint: url, region: 'us-east-1', forcePathStyle: true, storageClass: '' }
  const account = await openS3Store(place, { accessKeyId: 'key', secretAccessKey: 'hidden-word' }, times)
  later(async () => {
    account.close()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url, account, requests: () => requests }
}
