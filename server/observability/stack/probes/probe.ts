import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import type { MemberSetting } from '../member.ts'
import type { MemberClient, MemberRequest } from '../member-client.ts'
import { isJaeger } from '../stack-clients.ts'

/** The longest time of a request, in milliseconds. */
const timeoutMs = 5_000

/** A request that a member of a kind serves whatever it stores, and changes nothing. */
interface Probe {
  readonly api: string
  readonly asked: Pick<MemberRequest, 'body' | 'headers' | 'method' | 'path'>
  /** Whether the JSON of a success is that of the API; absent: any success is. */
  readonly fits?: (answer: unknown) => boolean
}

const isSuccess = (answer: unknown): boolean => isRecord(answer) && answer['status'] === 'success'

/** The probe of a receiver of one signal, whose empty request is a message without fields. */
const receiver = (signal: string): Probe => ({
  api: 'OTLP/HTTP',
  asked: {
    path: `/v1/${signal}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: new Uint8Array(),
  },
})

const jaeger: Probe = { api: 'the API v3 of Jaeger', asked: { path: '/services' }, fits: isRecord }

/** The probes of the kinds of members. A member serves if it serves one of them, as receivers of one signal do. */
const probes: { readonly [Setting in MemberSetting]: readonly Probe[] } = {
  alertmanager_url: [{ api: 'the API v2 of Alertmanager', asked: { path: '/api/v2/status' }, fits: isRecord }],
  logs_url: [{ api: 'the API of Loki', asked: { path: '/loki/api/v1/query?query=vector(1)' }, fits: isSuccess }],
  metrics_url: [{ api: 'the API of Prometheus', asked: { path: '/api/v1/query?query=vector(1)' }, fits: isSuccess }],
  otlp_url: ['traces', 'logs', 'metrics'].map(receiver),
  traces_url: [{ api: 'the API of Tempo', asked: { path: '/api/echo' } }],
}

/**
 * Asks a member whether it serves its API. Returns a sentence that names the setting and the engine if it does not;
 * undefined if it does.
 */
export async function memberFault(client: MemberClient): Promise<string | undefined> {
  const { setting } = client.member
  const asked = setting === 'traces_url' && isJaeger(client) ? [jaeger] : probes[setting]
  const faults = await Promise.all(asked.map(each => faultOf(client, each)))
  return faults.includes(undefined) ? undefined : faults[0]
}

async function faultOf(client: MemberClient, { api, asked, fits }: Probe): Promise<string | undefined> {
  try {
    // Members with tenants demand one, although a probe neither reads nor writes telemetry.
    const response = await client.send({ ...asked, workspace: platformWorkspaceId, timeoutMs })
    const { status } = response
    if (status < 200 || status > 299)
      throw client.unavailable(`does not serve ${api} and answers with status ${status}`)
    if (fits !== undefined && !fits(client.json(response)))
      throw client.unavailable(`answers with something else than ${api}`)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}
