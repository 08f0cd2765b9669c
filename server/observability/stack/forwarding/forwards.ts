import type { WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import { invalidPayload, largePayload } from '../../../../domain/observability/ingest/payload-faults.ts'
import type { OtlpFormat } from '../../../../domain/observability/sent-body.ts'
import type {
  ForwardedBody,
  ForwardedSignal,
  OtlpForward,
  SampleForward,
} from '../../../../domain/observability/stacks/forwarding/telemetry-forward.ts'
import type { MemberClient, MemberRequest, MemberResponse } from '../member-client.ts'
import type { Labelling } from './labelling.ts'
import { refusedItems } from '../../../../domain/observability/outbound/refused-items.ts'

/** The longest time until a member has taken a request, in milliseconds. */
const timeoutMs = 30_000

const mediaTypes: Readonly<Record<OtlpFormat, string>> = {
  'otlp-json': 'application/json',
  'otlp-protobuf': 'application/x-protobuf',
}

/** Sends OTLP on to a receiver of OTLP/HTTP. */
export class OtlpSender implements OtlpForward {
  readonly #client: MemberClient
  readonly #labelling: Labelling

  constructor(client: MemberClient, labelling: Labelling) {
    this.#client = client
    this.#labelling = labelling
  }

  async push(workspace: string, signal: ForwardedSignal, sent: ForwardedBody<OtlpFormat>): Promise<WriteResult> {
    const { format } = sent
    const labelled = labelOf(this.#client, workspace)
    const { body, items } = await this.#labelling.label({ workspace: labelled, signal, sent })
    const headers = { 'content-type': mediaTypes[format] }
    const path = `/v1/${signal.toLowerCase()}`
    const response = await sendOn(this.#client, { path, workspace, headers, body })
    const refused = Math.min(refusedItems(response.body, format), items)
    return resultOf(items, refused)
  }
}

/** Sends samples on to a store that takes remote write at the path of Prometheus. */
export class SampleSender implements SampleForward {
  readonly #client: MemberClient
  readonly #labelling: Labelling

  constructor(client: MemberClient, labelling: Labelling) {
    this.#client = client
    this.#labelling = labelling
  }

  async push(workspace: string, sent: ForwardedBody<'remote-write'>): Promise<WriteResult> {
    const labelled = labelOf(this.#client, workspace)
    const { body, items } = await this.#labelling.label({ workspace: labelled, signal: 'SAMPLES', sent })
    const headers = {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    }
    await sendOn(this.#client, { path: '/api/v1/write', workspace, headers, body })
    return resultOf(items, 0)
  }
}

const labelOf = ({ member }: MemberClient, workspace: string): string | undefined =>
  member.hasTenants ? undefined : workspace

/** Sends a request on. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE for a request that the member refuses. */
async function sendOn(
  client: MemberClient,
  asked: Pick<MemberRequest, 'body' | 'headers' | 'path' | 'workspace'>,
): Promise<MemberResponse> {
  const response = await client.send({ ...asked, method: 'POST', timeoutMs })
  const { status } = response
  if (status >= 200 && status < 300) return response
  if (status === 413) throw largePayload('is larger than the engine takes; send smaller batches')
  if (status === 400 || status === 422) throw invalidPayload('is refused by the engine')
  throw client.unavailable(`answers with status ${status}`)
}

const resultOf = (items: number, refused: number): WriteResult =>
  refused === 0
    ? { accepted: items, rejections: {}, message: '' }
    : { accepted: items - refused, rejections: { engine: refused }, message: 'the engine has refused some items' }
