import { effectiveLimit } from '../quotas/limits.ts'
import { receiveOtlp, type Receive } from './receive.ts'

/** Takes logs over OTLP/HTTP. */
export const receiveLogs: Receive = receiveOtlp({
  signal: 'LOGS',
  quota: 'logBytesPerSecond',
  rejected: 'rejectedLogRecords',
  async write({ limits, logs }, config, sent, retentionMs) {
    const { name, otlp, static_labels: staticLabels = {}, workspace_id: workspace } = config
    const rules = { config: name, staticLabels, promotedAttributes: otlp?.promote_resource_attributes ?? [] }
    const logStreams = effectiveLimit(limits, workspace, 'logStreams')
    const result = await logs.push(workspace, { ...sent, rules }, { logStreams, retentionMs })
    return { ...result, size: result.bytes }
  },
})
