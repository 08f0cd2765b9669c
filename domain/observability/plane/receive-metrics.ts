import { ingestionDisabled, signalNotEnabled } from '../../../output/observability/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Reply } from '../../../runtime/route.ts'
import { invalidPayload } from '../ingest/payload-faults.ts'
import type { IngestionConfigKind, StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { PushRules, WriteResult } from '../metrics/metric-engine.ts'
import { effectiveLimit } from '../quotas/limits.ts'
import { admittedConfig } from './plane-doors.ts'
import type { PlaneParts } from './plane-parts.ts'
import { encodeMessage } from './protobuf-answers.ts'
import { otlpForm, protobufType, remoteWriteForm, type FormHeaders, type PushedForm } from './pushed-form.ts'

/** The signals of OTLP. */
export type Signal = 'LOGS' | 'METRICS' | 'TRACES'

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

/** Takes metrics over OTLP/HTTP, and answers in the media type of the request with the refused samples. */
export async function receiveOtlp(parts: PlaneParts, request: PushRequest, context: CallContext): Promise<PushReply> {
  const config = await takingConfig(parts, context, 'otlp', 'METRICS')
  const form = otlpForm(request)
  const result = await write(parts, config, form, request)
  return form.format === 'otlp-json' ? jsonReply(result) : protobufReply(result)
}

/**
 * Takes samples by remote write 1.0. If some samples are refused, the others are written all the same and the sender gets
 * PAYLOAD_INVALID, as the protocol demands.
 */
export async function receiveRemoteWrite(
  parts: PlaneParts,
  request: PushRequest,
  context: CallContext,
): Promise<PushReply> {
  const config = await takingConfig(parts, context, 'prometheus_remote_write', 'METRICS')
  const result = await write(parts, config, remoteWriteForm(request), request)
  if (refusedIn(result) > 0) throw invalidPayload(`has refused samples, the others are written: ${messageOf(result)}`)
  return { status: 204, headers: undefined, body: undefined }
}

/**
 * Returns the config of a call that takes a signal of a kind. Throws INGESTION_DISABLED, WORKSPACE_NOT_ACTIVE and
 * SIGNAL_NOT_ENABLED.
 */
export async function takingConfig(
  { store, taxonomy }: PlaneParts,
  context: CallContext,
  kind: IngestionConfigKind,
  signal: Signal,
): Promise<StoredIngestionConfig> {
  const config = admittedConfig(context)
  const { [kind]: member, enabled = true, id, otlp, workspace_id } = config
  if (!enabled) throw ingestionDisabled('the ingestion config is disabled; set enabled to take telemetry again')
  await requireActive(() => taxonomy.checkActive(store, workspace_id))
  if (
    member !== undefined &&
    (otlp?.signals ?? [`OBSERVABILITY_SIGNAL_${signal}`]).includes(`OBSERVABILITY_SIGNAL_${signal}`)
  )
    return config
  const description =
    member === undefined ? `is of the kind ${config.kind}, not ${kind}` : `does not take the signal ${signal}`
  throw signalNotEnabled(`the ingestion config ${description}`, {
    precondition: [{ type: 'SIGNAL_NOT_ENABLED', subject: id, description }],
  })
}

/** Throws WORKSPACE_NOT_ACTIVE without the scope that is not active: a sender with a key may not know the tree. */
async function requireActive(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'WORKSPACE_NOT_ACTIVE') throw error
    const { code, domain, reason, rpc } = error
    const description = 'the workspace must be active'
    throw new ApiError(
      { reason, rpc, code, domain },
      'the workspace is not active, so it takes no telemetry',
      {},
      {
        precondition: [{ type: 'STATE', subject: 'workspace', description }],
      },
    )
  }
}

async function write(
  { clock, limits, memory, metrics, rates, retentions, statuses }: PlaneParts,
  config: StoredIngestionConfig,
  form: PushedForm,
  { 'content-length': length, body }: PushRequest,
): Promise<WriteResult> {
  const { id, workspace_id: workspace } = config
  rates.require(workspace, effectiveLimit(limits, workspace, 'samplesPerSecond'), clock.now())
  const activeSeries = effectiveLimit(limits, workspace, 'activeSeries')
  const retentionMs = await retentions.of(workspace)
  const result = await memory.read(body, length, bytes =>
    metrics.push(workspace, { ...form, body: bytes, rules: rulesOf(config) }, { activeSeries, retentionMs }),
  )
  rates.charge(workspace, result.accepted + refusedIn(result), clock.now())
  statuses.received(id, result, clock.now())
  return result
}

const rulesOf = ({ id, otlp, static_labels = {} }: StoredIngestionConfig): PushRules => ({
  config: id,
  staticLabels: static_labels,
  promotedAttributes: otlp?.promote_resource_attributes ?? [],
  deltaToCumulative: otlp?.delta_to_cumulative ?? false,
})

const refusedIn = ({ rejections }: WriteResult): number =>
  Object.values(rejections).reduce((sum, count) => sum + count, 0)

/** Returns the message for the sender: the first refusal, and the number of refused samples by reason. */
const messageOf = ({ message, rejections }: WriteResult): string =>
  `${message} (${Object.entries(rejections)
    .map(([reason, count]) => `${reason}: ${count}`)
    .join(', ')})`

function jsonReply(result: WriteResult): PushReply {
  const refused = refusedIn(result)
  const answer =
    refused === 0 ? {} : { partialSuccess: { rejectedDataPoints: String(refused), errorMessage: messageOf(result) } }
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: new TextEncoder().encode(JSON.stringify(answer)) }
}

function protobufReply(result: WriteResult): PushReply {
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
