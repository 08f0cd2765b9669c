import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request in the view of the test server. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A real server on 127.0.0.1, which records its requests and stops at the end of the block that uses it. */
export interface Listening extends AsyncDisposable {
  readonly baseUrl: string
  readonly received: readonly Received[]
}

/** Starts a server that handles each request with `answer`, once the body of the request has arrived. */
export async function listen(answer: (request: Received, response: ServerResponse) => void): Promise<Listening> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: target = '', headers } = request
    const whole = { method, target, headers, body: Buffer.concat(chunks) }
    received.push(whole)
    answer(whole, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Sends a JSON response. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}
