import type { WriteResult } from '../../metrics/metric-engine.ts'
import type { OtlpFormat, SentBody } from '../../sent-body.ts'

/** The signals of OTLP. */
export type ForwardedSignal = 'LOGS' | 'METRICS' | 'TRACES'

/** A request of a sender with the static labels of its ingestion config. */
export interface ForwardedBody<Format extends SentBody['format']> extends SentBody<Format> {
  readonly staticLabels: Readonly<Record<string, string>>
}

/**
 * Sends telemetry of a workspace on to a stack, which then tells it apart from that of other workspaces. Rejects with
 * PAYLOAD_INVALID, PAYLOAD_TOO_LARGE, and ENGINE_UNAVAILABLE if the sender must try again.
 */
export interface OtlpForward {
  push(workspace: string, signal: ForwardedSignal, sent: ForwardedBody<OtlpFormat>): Promise<WriteResult>
}

/** Sends samples of remote write 1.0 on to a stack; rejects as `OtlpForward`. */
export interface SampleForward {
  push(workspace: string, sent: ForwardedBody<'remote-write'>): Promise<WriteResult>
}
