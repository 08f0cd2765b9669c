import type { LogDestination } from '../../../output/observability/types.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { signed } from '../notifications/webhook-secret.ts'
import type { OutboundResponse } from '../outbound/outbound-calls.ts'
import { refusedItems } from '../outbound/refused-items.ts'
import { exportId, sinkSecretCollection, type SinkBatch, type SinkExport } from '../sinks/sink-exports-store.ts'
import type { StoredLogSink } from '../sinks/log-sinks-store.ts'
import { DestinationFailed } from './destination-failed.ts'
import { otlpRequest } from './otlp-request.ts'
import type { SinkParts } from './sink-parts.ts'

/** The most bytes of the lines of a request. */
export const maxRequestBytes = 1024 * 1024

/** The longest time until a receiver has answered, in milliseconds. */
const timeoutMs = 30_000

/** What a request tells beside its lines. */
export interface SentBatch {
  readonly sink: StoredLogSink
  readonly source: SinkExport['source']
  readonly batch: SinkBatch
  readonly lines: Uint8Array
  readonly signal: AbortSignal
}

type SendingParts = Pick<SinkParts, 'functions' | 'outbound' | 'payloads' | 'store'>

/** Sends the lines of a batch to a webhook. Rejects with `DestinationFailed`. */
export async function sendWebhook(
  parts: SendingParts,
  { url }: NonNullable<LogDestination['webhook']>,
  sent: SentBatch,
): Promise<void> {
  const { functions, store } = parts
  const secret = await store.get(sinkSecretCollection, sent.sink.id)
  await send(parts, sent, {
    url,
    http: 'to-private-targets',
    body: sent.lines,
    headers: async () => ({
      'content-type': 'application/x-ndjson',
      ...(secret && (await signed(functions.vault, secret.value.wrapped, sent.lines))),
    }),
  })
}

/**
 * Sends the lines of a batch as OTLP/HTTP. Returns the number of records that the receiver has rejected, which must not be
 * sent again (OTLP, partial success). Rejects with `DestinationFailed`.
 */
export async function sendOtlp(
  parts: SendingParts,
  { headers_secret_id: secret, url }: NonNullable<LogDestination['otlp']>,
  sent: SentBatch,
): Promise<number> {
  const { body } = await send(parts, sent, {
    url,
    http: 'allowed',
    body: otlpRequest(sent.lines),
    headers: async () => ({
      ...headersOf(await parts.payloads.of(sent.sink, secret, 'headers_secret_id')),
      'content-type': 'application/json',
    }),
  })
  return refusedItems(body, 'otlp-json')
}

interface Sending {
  readonly url: string
  readonly http: 'allowed' | 'to-private-targets'
  readonly body: Uint8Array
  readonly headers: () => Promise<Readonly<Record<string, string>>>
}

async function send(
  { outbound }: SendingParts,
  { batch, signal, sink, source }: SentBatch,
  { body, headers, http, url }: Sending,
): Promise<OutboundResponse> {
  let response: OutboundResponse
  try {
    const all = {
      'user-agent': 'Ninefold',
      // The text is the same in all attempts, so that a receiver can recognise a repetition.
      'x-ninefold-batch': `${exportId(sink.id, source)}/${batch.first}-${batch.last}`,
      ...(await headers()),
    }
    response = await outbound.send({ method: 'POST', url, http, headers: all, body, timeoutMs, signal })
  } catch (error) {
    signal.throwIfAborted()
    throw new DestinationFailed(error instanceof Error ? error.message : 'the request failed')
  }
  const { status } = response
  if (status < 200 || status > 299) throw new DestinationFailed(`the receiver answered with status ${status}`)
  return response
}

/** Names of headers that the platform sets itself, or that steer the connection. */
const reserved = /^(?:connection|content-.*|expect|host|te|trailer|transfer-encoding|upgrade|x-ninefold-.*)$/i

/** Returns the headers in a payload. Throws an Error for a payload that is no JSON object of headers. */
function headersOf(payload: string | undefined): Readonly<Record<string, string>> {
  if (payload === undefined) return {}
  const headers: Record<string, string> = {}
  const value = objectIn(payload)
  for (const [name, text] of Object.entries(value ?? {})) {
    const isSound =
      /^[!#$%&'*+.^`|~\w-]{1,128}$/.test(name) && typeof text === 'string' && /^[\t\x20-\x7e]*$/.test(text)
    if (isSound && !reserved.test(name)) headers[name.toLowerCase()] = text
    else throw new Error('the secret headers_secret_id has a header that cannot be sent')
  }
  if (value === undefined) throw new Error('the secret headers_secret_id is no JSON object of headers')
  return headers
}

function objectIn(payload: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(payload)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
