import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import type { PresignedUrl } from '../../output/storage/types.ts'
import { faultOf, refusalOf } from './transfer-faults.ts'

/** The time in milliseconds after which a silent connection is given up. */
const silenceMs = 300_000

/** The bytes of a transfer: all at once, or in chunks that each attempt reads again, one at a time. */
export type Content =
  Uint8Array | { readonly length: number; readonly chunks: () => AsyncIterable<Uint8Array<ArrayBuffer>> }

/**
 * Sends bytes in a PUT request, and returns the entity tag of the answer. `fetch` would copy each body, and take three
 * times the processor time.
 */
export async function put({ headers, url }: Pick<PresignedUrl, 'headers' | 'url'>, content: Content): Promise<string> {
  const { request: begin } = url.startsWith('https:') ? https : http
  const request = begin(url, { method: 'PUT', headers: { ...headers, 'content-length': content.length } })
  request.setTimeout(silenceMs, () => request.destroy(new Error(`silence for ${silenceMs / 1000} seconds`)))
  try {
    const answer = await answerTo(request, content)
    const { headers: fields, statusCode: status = 0 } = answer
    const body = await text(answer)
    if (status < 200 || status > 299) throw await refusalOf(new Response(body, { status, headers: linesOf(fields) }))
    return fields.etag ?? ''
  } catch (error) {
    throw faultOf(error)
  } finally {
    // A server may refuse a request before all its bytes have arrived.
    if (!request.writableFinished) request.destroy()
  }
}

/** Sends the bytes of a request, and returns the answer, which may come before the last byte is sent. */
function answerTo(request: ClientRequest, content: Content): Promise<IncomingMessage> {
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  request.on('response', resolve).on('error', reject)
  if (content instanceof Uint8Array) request.end(content)
  else send(request, content.chunks()).catch(reject)
  return promise
}

/** Writes each chunk before the next is read into the same memory. */
async function send(request: ClientRequest, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = new Promise(resolve => request.once('close', resolve))
  for await (const chunk of chunks) {
    await Promise.race([closed, new Promise(resolve => request.write(chunk, resolve))])
    if (request.destroyed) return
  }
  request.end()
}

const linesOf = (fields: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(fields).flatMap(([name, lines]) => [lines ?? []].flat().map(line => [name, line])))
