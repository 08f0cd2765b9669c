import { invalidPayload } from '../ingest/payload-faults.ts'
import type { PushFormat } from '../sent-body.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { PushRules } from '../metrics/metric-engine.ts'
import { effectiveLimit } from '../quotas/limits.ts'
import { remoteWriteForm } from './pushed-form.ts'
import { messageOf, receiveOtlp, refusedIn, write, type Receive, type SignalWriter } from './receive.ts'
import { takingConfig } from './taking-config.ts'

/** How samples are written. */
const samples: SignalWriter<PushFormat> = {
  signal: 'METRICS',
  quota: 'samplesPerSecond',
  async write({ limits, metrics }, config, sent, retentionMs) {
    const { workspace_id: workspace } = config
    const activeSeries = effectiveLimit(limits, workspace, 'activeSeries')
    const result = await metrics.push(workspace, { ...sent, rules: rulesOf(config) }, { activeSeries, retentionMs })
    return { ...result, size: result.accepted + refusedIn(result) }
  },
}

/** Takes metrics over OTLP/HTTP. */
export const receiveMetrics: Receive = receiveOtlp({ ...samples, rejected: 'rejectedDataPoints' })

/**
 * Takes samples by remote write 1.0. If some samples are refused, the others are written all the same and the sender gets
 * PAYLOAD_INVALID, as the protocol demands.
 */
export const receiveRemoteWrite: Receive = async (parts, request, context) => {
  const config = await takingConfig(parts, context, 'prometheus_remote_write', 'METRICS')
  const result = await write(samples, parts, config, remoteWriteForm(request), request)
  if (refusedIn(result) > 0) throw invalidPayload(`has refused samples, the others are written: ${messageOf(result)}`)
  return { status: 204, headers: undefined, body: undefined }
}

const rulesOf = ({ id, otlp, static_labels = {} }: StoredIngestionConfig): PushRules => ({
  config: id,
  staticLabels: static_labels,
  promotedAttributes: otlp?.promote_resource_attributes ?? [],
  deltaToCumulative: otlp?.delta_to_cumulative ?? false,
})
