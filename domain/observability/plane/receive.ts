import type { CallContext } from '../../../runtime/context.ts'
import type { Reply } from '../../../runtime/route.ts'
import type { OtlpFormat, SentBody } from '../sent-body.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { WriteResult } from '../metrics/metric-engine.ts'
import { effectiveLimit } from '../quotas/limits.ts'
import { nativeEngine } from '../stacks/stack.ts'
import { forward } from './forward.ts'
import type { PlaneParts } from './plane-parts.ts'
import { encodeMessage } from '../ingest/wire/encode-message.ts'
import { otlpForm, protobufType, type FormHeaders, type PushedForm } from './pushed-form.ts'
import type { RateQuota } from './sender-rates.ts'
import { takingConfig, type Signal } from './taking-config.ts'

/** The members of a request of the plane that its handlers use. */
export interface PushRequest extends FormHeaders {
  readonly 'content-length'?: string
  readonly body?: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** An answer of the plane. */
export type PushReply = Reply<
  200 | 204,
  Uint8Array<ArrayBuffer> | undefined,
  Readonly<Record<string, string>> | undefined
>

/** Answers a request of the plane. */
export type Receive = (parts: PlaneParts, request: PushRequest, context: CallContext) => Promise<PushReply>

/** What became of a pushed request. */
export interface PushResult extends WriteResult {
  /** The size of the request for the quota of its rate, in the unit of the quota. */
  readonly size: number
}

/** How the requests of a signal are written. */
export interface SignalWriter<Format extends PushedForm['format']> {
  readonly signal: Signal
  readonly quota: RateQuota
  /** Writes a request; `retentionMs` is the longest retention of the signal. Resolves once all is on the disk. */
  write(
    parts: PlaneParts,
    config: StoredIngestionConfig,
    sent: SentBody<Format>,
    retentionMs: number,
  ): Promise<PushResult>
}

/** A signal of OTLP. */
export interface OtlpSignal extends SignalWriter<OtlpFormat> {
  /** The member of the answer that has the number of refused elements. */
  readonly rejected: 'rejectedDataPoints' | 'rejectedLogRecords' | 'rejectedSpans'
}

/** Returns the receiver of a signal over OTLP/HTTP. The answer counts the refusals, in the media type of the request. */
export const receiveOtlp =
  (of: OtlpSignal): Receive =>
  async (parts, request, context) => {
    const config = await takingConfig(parts, context, 'otlp', of.signal)
    const form = otlpForm(request)
    const result = await write(of, parts, config, form, request)
    return form.format === 'otlp-json' ? jsonReply(of, result) : protobufReply(result)
  }

/** Writes a request, charges its rate, and counts it for its config. Throws INGEST_RATE_EXCEEDED and PAYLOAD_TOO_LARGE. */
export async function write<Format extends PushedForm['format']>(
  of: SignalWriter<Format>,
  parts: PlaneParts,
  config: StoredIngestionConfig,
  form: PushedForm<Format>,
  { 'content-length': length, body }: PushRequest,
): Promise<PushResult> {
  const { clock, limits, memory, rates, retentions, statuses } = parts
  const { id, workspace_id: workspace } = config
  rates.require(workspace, of.quota, effectiveLimit(limits, workspace, of.quota), clock.now())
  const isNative = config.engine === nativeEngine
  const retentionMs = isNative ? await retentions.of(workspace, `OBSERVABILITY_SIGNAL_${of.signal}`) : 0
  const result = await memory.read(body, length, bytes => {
    const sent = { ...form, body: bytes }
    return isNative ? of.write(parts, config, sent, retentionMs) : forward(parts.stacks, config, of.signal, sent)
  })
  rates.charge(workspace, of.quota, result.size, clock.now())
  statuses.received(id, result, clock.now())
  return result
}

/** Returns the number of refused elements. */
export const refusedIn = ({ rejections }: WriteResult): number =>
  Object.values(rejections).reduce((sum, count) => sum + count, 0)

/** Returns the message for the sender: the first refusal, and the number of refused elements by reason. */
export const messageOf = ({ message, rejections }: WriteResult): string =>
  `${message} (${Object.entries(rejections)
    .map(([reason, count]) => `${reason}: ${count}`)
    .join(', ')})`

function jsonReply({ rejected }: OtlpSignal, result: PushResult): PushReply {
  const refused = refusedIn(result)
  const answer =
    refused === 0 ? {} : { partialSuccess: { [rejected]: String(refused), errorMessage: messageOf(result) } }
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: new TextEncoder().encode(JSON.stringify(answer)) }
}

/** The answers of all signals have their members under the same numbers. */
function protobufReply(result: PushResult): PushReply {
  const refused = refusedIn(result)
  const partial = encodeMessage([
    [1, refused],
    [2, messageOf(result)],
  ])
  return {
    status: 200,
    headers: { 'content-type': protobufType },
    body: encodeMessage(refused === 0 ? [] : [[1, partial]]),
  }
}
