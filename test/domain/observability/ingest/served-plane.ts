import type { Ninefold } from '../../../../output/client.ts'
import type { IngestionConfigInput, MetricQueryResponse } from '../../../../output/observability/types.ts'
import { addTenant, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'

/** A key of senders. */
export const key = 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0sA'

/** A platform with a workspace, and functions that push to its ingestion configs as senders do. */
export interface ServedPlane {
  readonly platform: TestPlatform
  readonly api: Ninefold
  readonly tenant: Tenant
  /** Creates an ingestion config with the key `key` unless `body` has other keys; returns the id. */
  config(body: IngestionConfigInput): Promise<string>
  /** Sends a request to a path below `/ingest/<config>`; by default with the key, as OTLP in JSON. */
  push(config: string, body: BodyInit, options?: PushOptions): Promise<Response>
  /** Runs an instant query in the workspace. */
  query(query: string, time?: number): Promise<MetricQueryResponse>
}

/** What a request has beside its body. */
export interface PushOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The credential; undefined for a request without one. */
  readonly bearer?: string | undefined
}

/** Opens a platform with a workspace. */
export async function servedPlane(options: TestPlatformOptions = {}): Promise<ServedPlane> {
  const platform = await testPlatform(options)
  const { api } = await platform.admin()
  const tenant = await addTenant(api, 'acme')
  const at = { workspace: tenant.workspace, engine: 'native' }
  return {
    platform,
    api,
    tenant,
    async config(body) {
      const given = { ingest_keys: [{ name: 'sender', secret: key }], ...body }
      return (await api.observability.createIngestionConfig({ ...at, body: given })).resource_id
    },
    push(config, body, given = {}) {
      const { bearer, headers, path = '/v1/metrics' } = { bearer: key, ...given }
      const all = {
        'content-type': 'application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...headers,
      }
      const url = `http://platform.test/ingest/${config}${path}`
      return platform.from('192.0.2.7')(url, { method: 'POST', body, headers: all })
    },
    query: (query, time) =>
      api.observability.queryMetrics({
        ...at,
        body: { query, ...(time !== undefined && { time: new Date(time).toISOString() }) },
      }),
  }
}

/** Returns a request of OTLP in JSON with a gauge of value 1. */
export const gaugeRequest = (name = 'temperature', time = Date.now()) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] },
      scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints: [{ timeUnixNano: `${time}000000`, asDouble: 1 }] } }] }],
    },
  ],
})
