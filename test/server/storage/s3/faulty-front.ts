import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { pipeline } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Later } from '../../store/harness.ts'
import type { Answer } from './hostile-store.ts'

const xml = (response: ServerResponse, status: number, body: string): void =>
  void response.writeHead(status, { 'content-type': 'application/xml' }).end(body)

const error = (code: string): string => `<Error><Code>${code}</Code><Message>hidden-word</Message></Error>`

/** The faults of a store, by their names: the answer to each request. */
export const storeFaults = {
  'a store that is slow': () => undefined,
  'a store that is full': (_request, response) => xml(response, 507, error('InsufficientStorage')),
  'a store that is overloaded': (_request, response) => xml(response, 503, error('SlowDown')),
  'a store that refuses the account': (_request, response) => xml(response, 403, error('AccessDenied')),
  'a store that answers garbage': (_request, response) => xml(response, 200, '\u0000\u0001 no xml <<<'),
  'a store that is a page for people': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html>sign in</html>'),
  'a store that cuts connections': request => void request.destroy(),
  'a store that leads elsewhere': (_request, response) =>
    void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
} as const satisfies Readonly<Record<string, Answer>>

/** A proxy in front of an S3 store that can answer in its place. */
export interface FaultyFront {
  readonly url: string
  /** Answers all requests by a fault from now on; undefined: the store answers. */
  answer(fault: Answer | undefined): void
}

/** Starts a proxy in front of the store at a URL; `later` ends it. */
export async function faultyFront(target: string, later: Later = onTestFinished): Promise<FaultyFront> {
  let fault: Answer | undefined
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const { headers, method, url } = request
    const passed = forward(`${target}${url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      pipeline(answer, response, () => undefined)
    })
    passed.on('error', () => response.destroy())
    pipeline(request, passed, () => undefined)
  }
  const server = createServer((request, response) => {
    if (!fault) return pass(request, response)
    request.resume()
    fault(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy listens at no port')
  later(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${address.port}`, answer: next => void (fault = next) }
}
