import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../../output/client.ts'
import type { IngestionConfigInput, VectorSample } from '../../../../output/observability/types.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'
import type { InspectedPlace } from '../../../../server/doctor/inspect-store.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { addTenant, type Tenant } from '../../../areas/members.ts'
import { patient } from '../../../areas/patient-fetch.ts'
import { areaPlace } from '../../../areas/test-platform.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import type { Later } from '../../../server/store/harness.ts'
import { serveRegistry } from '../../registry/served-registry.ts'

/** A key of senders. */
export const key = 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0sA'

/** A served platform with a workspace, and functions that push to its ingestion configs as senders do. */
export interface ServedPlane {
  readonly url: string
  readonly place: InspectedPlace
  readonly api: Ninefold
  /** The access token of the administrator. */
  readonly token: string
  readonly tenant: Tenant
  /** Creates an ingestion config of a workspace with the key `key` unless `body` has other keys; returns the id. */
  config(body: IngestionConfigInput, workspace?: string): Promise<string>
  /** Sends a request to a path below `/ingest/<config>`; by default with the key, as OTLP in JSON. */
  push(config: string, body: RequestInit['body'], options?: PushOptions): Promise<Response>
  /** Runs an instant query in the workspace. */
  query(query: string, time?: number): Promise<readonly VectorSample[]>
}

/** What a request has beside its body. */
export interface PushOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The credential; undefined for a request without one. */
  readonly bearer?: string | undefined
}

/** Serves a platform of the areas `mounted` with a workspace on a free port of 127.0.0.1. */
export async function servedPlane(
  later: Later,
  given = new GivenSettings(),
  mounted: readonly AreaModule[] = areas,
): Promise<ServedPlane> {
  const place = { ...(await areaPlace(mounted, later)), given }
  const { url } = await serveRegistry(place, later, { mounted })
  const token = await signIn(url)
  const api = new Ninefold(createTransport({ baseUrl: url, token, fetch: patient(fetch) }))
  const tenant = await addTenant(api, 'acme')
  const plane: ServedPlane = {
    url,
    place,
    api,
    token,
    tenant,
    async config(body, workspace = tenant.workspace) {
      const all = { ingest_keys: [{ name: 'sender', secret: key }], ...body }
      return (await api.observability.createIngestionConfig({ workspace, engine: 'native', body: all })).resource_id
    },
    push(config, body, options = {}) {
      const { bearer, headers, path = '/v1/metrics' } = { bearer: key, ...options }
      const all = {
        'content-type': 'application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...headers,
      }
      return fetch(`${url}/ingest/${config}${path}`, { method: 'POST', body: body ?? null, headers: all })
    },
    async query(query, time = Date.now()) {
      const body = { query, time: new Date(time).toISOString() }
      const at = { workspace: tenant.workspace, engine: 'native' }
      return (await api.observability.queryMetrics({ ...at, body })).vector
    },
  }
  await untilServing(plane)
  return plane
}

/** Waits until the server takes metrics: it takes the lease of the telemetry soon after its start. */
async function untilServing({ config, push }: ServedPlane): Promise<void> {
  const id = await config({ name: 'first', otlp: {} })
  const until = performance.now() + 60_000
  for (;;) {
    const { status } = await push(id, JSON.stringify(gaugeRequest('first')))
    if (status === 200) return
    if (performance.now() > until) throw new Error(`the server takes no metrics: ${status}`)
    await nextPoll(50)
  }
}

/** Returns a request of OTLP in JSON with a gauge of value 1. */
export const gaugeRequest = (name: string, time = Date.now()) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] },
      scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints: [{ timeUnixNano: `${time}000000`, asDouble: 1 }] } }] }],
    },
  ],
})

/** Returns the labels of a sample without its name and value, and the value, as one text. */
export const textOf = ({ metric, value }: VectorSample): string =>
  `${Object.entries(metric)
    .map(([name, text]) => `${name}=${text}`)
    .sort()
    .join(' ')} ${value}`
