import { inflate } from '../../../../domain/observability/ingest/inflate.ts'
import type { OtlpFormat } from '../../../../domain/observability/sent-body.ts'
import { labelJson } from '../../../../domain/observability/stacks/forwarding/label-json.ts'
import {
  labelProtobuf,
  type LabelledRequest,
} from '../../../../domain/observability/stacks/forwarding/label-protobuf.ts'
import { labelSeries } from '../../../../domain/observability/stacks/forwarding/label-series.ts'
import { otlpShapes } from '../../../../domain/observability/stacks/forwarding/otlp-shapes.ts'
import { ownAttributes } from '../../../../domain/observability/stacks/forwarding/own-attributes.ts'
import { requireSpans } from '../../../../domain/observability/stacks/forwarding/require-spans.ts'
import type {
  ForwardedBody,
  ForwardedSignal,
} from '../../../../domain/observability/stacks/forwarding/telemetry-forward.ts'
import { writeSnappy } from '../../../../domain/observability/stacks/forwarding/write-snappy.ts'

/** A request of a sender that is to get the labels of a workspace; without `workspace`, the store has tenants. */
export type LabelCall = { readonly workspace: string | undefined } & (
  | { readonly signal: ForwardedSignal; readonly sent: ForwardedBody<OtlpFormat> }
  | { readonly signal: 'SAMPLES'; readonly sent: ForwardedBody<'remote-write'> }
)

/**
 * Returns a request as it is sent on, and the number of its items: with the static labels of the config and the label of
 * the workspace, without content coding, but for remote write, which has Snappy. Throws PAYLOAD_INVALID and
 * PAYLOAD_TOO_LARGE.
 */
export function labelRequest(call: LabelCall): LabelledRequest {
  const own = ownAttributes(call.sent.staticLabels, call.workspace)
  const request = inflate(call.sent)
  if (call.signal === 'SAMPLES') {
    const { body, items } = labelSeries(request, own)
    return { body: writeSnappy(body), items }
  }
  const { sent, signal } = call
  if (signal === 'TRACES') requireSpans(request, sent.format)
  const label = sent.format === 'otlp-json' ? labelJson : labelProtobuf
  return label(request, otlpShapes[signal], own)
}
