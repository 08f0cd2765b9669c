import { receiveOtlp, refusedIn } from './receive.ts'

/** Takes traces over OTLP/HTTP. The static labels of the config become attributes of the resources. */
export const receiveTraces = receiveOtlp({
  signal: 'TRACES',
  quota: 'spansPerSecond',
  rejected: 'rejectedSpans',
  async write({ traces }, { static_labels = {}, workspace_id }, sent, retentionMs) {
    const result = await traces.push(workspace_id, { ...sent, staticAttributes: static_labels }, { retentionMs })
    return { ...result, size: result.accepted + refusedIn(result) }
  },
})
