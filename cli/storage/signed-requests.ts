import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import https from 'node:https'
import type { PresignedUrl } from '../../output/storage/types.ts'
import { answerInvalid } from '../../runtime/errors.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { faultOf, refusalOf } from './transfer-faults.ts'

/** The time in milliseconds after which a silent connection is given up. */
const silenceMs = 120_000

/** The most bytes that are read of an answer that is not a content. */
const errorBytes = 65_536

/** The bytes of a transfer: all at once, or in chunks that each attempt reads again, one at a time. */
export type Content =
  Uint8Array | { readonly length: number; readonly chunks: () => AsyncIterable<Uint8Array<ArrayBuffer>> }

/** A signed URL with the headers that belong to it. */
export type Signed = Pick<PresignedUrl, 'headers' | 'url'>

// `fetch` copies each sent body, which takes three times the processor time, and its parser throws where nothing catches
// the error if a store closes a connection whose answer is not read at once (undici 5360).

/** Sends bytes in a PUT request, and returns the entity tag of the answer. */
export async function put(signed: Signed, content: Content): Promise<string> {
  const request = begun(signed, 'PUT', { 'content-length': content.length })
  try {
    const answer = await answerTo(request, content)
    await requireStatus(answer, 200, 299)
    await beginOf(answer)
    return answer.headers.etag ?? ''
  } catch (error) {
    throw faultOf(error)
  } finally {
    // A server may refuse a request before all its bytes have arrived.
    if (!request.writableFinished) request.destroy()
  }
}

/** Sends a GET request for a range, and returns the answer, whose body is not read yet. */
export async function getRange(signed: Signed, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  try {
    const answer = await answerTo(begun(signed, 'GET', headers), new Uint8Array())
    await requireStatus(answer, 206, 206)
    return answer
  } catch (error) {
    throw faultOf(error)
  }
}

function begun({ headers, url }: Signed, method: string, others: OutgoingHttpHeaders): ClientRequest {
  if (!URL.canParse(url)) throw answerInvalid('the server answers no URL for a content')
  const request = requestTo(url, { method, headers: { ...headers, ...others } })
  return request.setTimeout(silenceMs, () => request.destroy(new Error(`silence for ${silenceMs / 1000} seconds`)))
}

/** Begins a request. Throws ANSWER_INVALID for a URL and headers, which come from a server, that no request can have. */
function requestTo(url: string, options: RequestOptions): ClientRequest {
  const { request } = url.startsWith('https:') ? https : http
  try {
    return request(url, options)
  } catch (error) {
    throw answerInvalid(`the server answers a URL or headers for a content that cannot be requested: ${error}`)
  }
}

/** Throws the error of an answer whose status is not between two statuses. */
async function requireStatus(answer: IncomingMessage, first: number, last: number): Promise<void> {
  const { headers, statusCode: status = 0 } = answer
  if (status >= first && status <= last) return
  const body = await beginOf(answer)
  if (status < 300)
    throw new CommandError(
      `the store answers a part of an object with the status ${status}: it, or a proxy before it, ignores ranges`,
      exitCodes.refused,
    )
  throw await refusalOf(new Response(body, { status, headers: linesOf(headers) }))
}

/** Sends the bytes of a request, and returns the answer, which may come before the last byte is sent. */
function answerTo(request: ClientRequest, content: Content): Promise<IncomingMessage> {
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  request
    .on('response', resolve)
    .on('error', reject)
    .on('close', () => reject(new Error('the connection ended without an answer')))
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

/** Returns the begin of the body of an answer as text; an error of the server is no longer. */
async function beginOf(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= errorBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

const linesOf = (fields: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(fields).flatMap(([name, lines]) => [lines ?? []].flat().map(line => [name, line])))
