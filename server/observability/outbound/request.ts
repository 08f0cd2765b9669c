import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { OutboundRequest, OutboundResponse } from '../../../domain/observability/outbound/outbound-calls.ts'
import type { HostAddress } from './named-addresses.ts'
import { readBody } from './read-body.ts'
import { sentence } from './sentences.ts'

/** The largest size of the headers of a response in bytes. */
const maxHeaderSize = 16_384

/**
 * Sends a request over a connection of its own to one of the addresses that `resolve` returns. The name of the host is not
 * resolved again, so the checked address is the address of the connection. Rejects with an Error whose message has
 * neither headers nor the URL.
 */
export async function request(
  url: URL,
  outbound: OutboundRequest,
  resolve: () => Promise<readonly HostAddress[]>,
): Promise<OutboundResponse> {
  const { signal: cancelled, timeoutMs } = outbound
  const timedOut = AbortSignal.timeout(timeoutMs)
  const signal = cancelled ? AbortSignal.any([cancelled, timedOut]) : timedOut
  try {
    signal.throwIfAborted()
    const addresses = await orAborted(resolve(), signal)
    const response = await begin(url, outbound, { signal, lookup: lookupOf(addresses) })
    const body = await readBody(response)
    // A body without a length ends like a whole one when the connection is closed.
    signal.throwIfAborted()
    return { status: response.statusCode ?? 0, headers: headersOf(response), body }
  } catch (error) {
    if (cancelled?.aborted) throw new Error('the request was cancelled', { cause: error })
    if (timedOut.aborted)
      throw new Error(`the whole response did not arrive within ${timeoutMs / 1000} s`, { cause: error })
    throw new Error(sentence(error), { cause: error })
  }
}

/** Resolves as `work`, but rejects as soon as the signal is aborted. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Returns a look-up that finds known addresses for the name of the URL. */
const lookupOf =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_name, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else if (first) found(null, first.address, first.family)
  }

/** Sends the request, and resolves with the response once its headers have arrived. */
function begin(
  url: URL,
  { body, headers, method }: OutboundRequest,
  { lookup, signal }: Pick<RequestOptions, 'signal'> & { readonly lookup: LookupFunction },
): Promise<IncomingMessage> {
  const options = {
    method,
    headers: {
      'accept-encoding': 'gzip',
      ...headers,
      ...(body && { 'content-length': body.byteLength }),
    },
    // A connection of its own: neither connections nor credentials pass from one request to another.
    agent: false,
    lookup,
    maxHeaderSize,
    rejectUnauthorized: true,
    ...(signal && { signal }),
  } as const
  return new Promise((resolve, reject) => {
    const sent = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
    sent.on('response', resolve)
    sent.on('upgrade', (_response, socket) => socket.destroy())
    sent.on('error', reject)
    sent.on('close', () => reject(new Error('the connection ended without a response')))
    sent.end(body)
  })
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  )
