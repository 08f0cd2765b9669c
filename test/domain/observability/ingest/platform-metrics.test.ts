import type { MetricEngine, WriteLimits } from '../../../../domain/observability/metrics/metric-engine.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PlatformTelemetry } from '../../../../domain/observability/ingest/platform-telemetry.ts'
import type { MetricSample, Observability } from '../../../../domain/ports/observability.ts'
import { engineUnavailable, workspaceNotActive } from '../../../../output/shared/errors.ts'
import { areas } from '../../../../server/areas.ts'
import { observabilityArea } from '../../../../server/observability/area.ts'
import { addTenant } from '../../../areas/members.ts'
import { areaPlace, testPlatform } from '../../../areas/test-platform.ts'
import { whileOpen } from '../../../areas/while-open.ts'

describe('the metrics of areas', () => {
  it('have the sizes of the buckets and repositories of each workspace', async () => {
    const place = await areaPlace(areas, onTestFinished)
    const made = await whileOpen(place, async api => {
      const { workspace } = await addTenant(api, 'acme')
      const at = { workspace, engine: 'native' }
      const bucket = (await api.storage.createBucket({ ...at, body: { name: 'photos' } })).resource_id
      const repository = (await api.registry.createRepository({ ...at, body: { name: 'app' } })).resource_id
      return { bucket, repository, workspace }
    })
    const samples: (MetricSample & { readonly workspace: string })[] = []
    const telemetry: Observability = {
      ingest: async (workspace, { metrics = [] }) =>
        void samples.push(...metrics.map(each => ({ ...each, workspace }))),
    }
    const mounted = areas.map(area => (area.domain.name === 'observability' ? observabilityArea({ telemetry }) : area))
    await testPlatform({ areas: mounted, config: place })
    const linesOf = (id: string) =>
      samples
        .filter(({ labels, workspace }) => labels['resource_id'] === id && workspace === made.workspace)
        .map(
          ({ labels, name, type, value }) =>
            `${type} ${name} ${labels['bucket_name'] ?? labels['repository_name']} ${value}`,
        )
    await expect
      .poll(() => linesOf(made.bucket), { timeout: 15_000 })
      .toEqual([
        'GAUGE platform_storage_bucket_bytes photos 0',
        'GAUGE platform_storage_bucket_objects photos 0',
        'GAUGE platform_storage_bucket_versions photos 0',
      ])
    await expect
      .poll(() => linesOf(made.repository), { timeout: 15_000 })
      .toEqual([
        'GAUGE platform_registry_repository_bytes app 0',
        'GAUGE platform_registry_repository_artifacts app 0',
        'GAUGE platform_registry_repository_tags app 0',
      ])
  })
})

describe('telemetry that the platform cannot keep', () => {
  const workspace = '01900000-0000-7000-8000-000000000001'
  const sample = { name: 'platform_a', type: 'GAUGE', labels: {}, time: 1, value: 1 } as const
  const line = { labels: { service_name: 'a', resource_id: 'b', stream: 'c' }, time: 1, line: 'text' }

  /** Returns the telemetry of a platform whose engine and workspaces behave as given, and the logged failures. */
  function telemetryWith(given: {
    readonly write?: MetricEngine['write']
    readonly retention?: () => Promise<number>
    readonly check?: () => Promise<void>
    readonly hasEngine?: boolean
  }) {
    const failures: unknown[] = []
    const parts = {
      store: {},
      retentions: { of: given.retention ?? (async () => 1) },
      taxonomy: { checkActive: given.check ?? (async () => undefined) },
      metrics: { write: given.write ?? (() => Promise.reject(new Error('the disk failed'))) },
      hasEngine: given.hasEngine ?? true,
      failed: (error: unknown) => void failures.push(error),
    }
    // Only the functions above are called.
    return { telemetry: new PlatformTelemetry(parts as never), failures }
  }

  const inactive = () =>
    workspaceNotActive(
      'suspended',
      { effective_state: 'SUSPENDED', blocking_scope_type: 'WORKSPACE', blocking_scope_id: workspace },
      { precondition: [], resource: { type: 'taxonomy.workspaces', name: workspace } },
    )

  it.each([
    ['engine', 0, { write: () => Promise.reject(engineUnavailable('elsewhere', { retryAfterSeconds: 5 })) }],
    ['engine', 1, {}],
    ['engine', 1, { retention: () => Promise.reject(new Error('the store failed')) }],
    ['engine', 0, { hasEngine: false }],
    ['workspace', 0, { check: () => Promise.reject(inactive()) }],
    ['workspace', 1, { check: () => Promise.reject(new Error('the store failed')) }],
  ] as const)('is dropped and counted under %s, with %i logged failures', async (reason, logged, given) => {
    const { failures, telemetry } = telemetryWith(given)
    await telemetry.ingest(workspace, { metrics: [sample, sample], logs: [line] })
    expect(telemetry.dropped(reason)).toBe(2)
    expect(telemetry.dropped('logs')).toBe(1)
    expect(failures).toHaveLength(logged)
  })

  it('is written with the retention of its workspace, beside the quotas', async () => {
    const given: WriteLimits[] = []
    const { telemetry } = telemetryWith({
      retention: async () => 30 * 86_400_000,
      write: async (_workspace, _batch, limits) => {
        given.push(limits)
        return { accepted: 1, rejections: {}, message: '' }
      },
    })
    await telemetry.ingest(workspace, { metrics: [sample] })
    expect(given).toEqual([{ activeSeries: -1, retentionMs: 30 * 86_400_000 }])
  })

  it('is dropped while 100,000 samples wait for the engine', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const { telemetry } = telemetryWith({ write: () => promise })
    const waiting = telemetry.ingest(workspace, { metrics: Array.from({ length: 100_000 }, () => sample) })
    await telemetry.ingest(workspace, { metrics: [sample] })
    expect(telemetry.dropped('queue')).toBe(1)
    reject(new Error('late'))
    await waiting
  })
})
