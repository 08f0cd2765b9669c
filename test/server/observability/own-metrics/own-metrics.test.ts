import { expect, it } from 'vitest'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { testPlatform } from '../../../areas/test-platform.ts'

const path = { workspace: platformWorkspaceId, engine: 'native' }

it('writes its own metrics to the workspace of the platform, which answers queries of them', async () => {
  const given = new GivenSettings().with(observabilitySettings['observability.own_metrics_interval'], 1000)
  const platform = await testPlatform({ config: { given } })
  const { api } = await platform.admin()
  const valueOf = async (query: string): Promise<number> => {
    const { vector } = await api.observability.queryMetrics({ ...path, body: { query } })
    return Number(vector[0]?.value)
  }
  const signIns = 'sum(platform_http_requests_total{area="iam", code="OK"})'
  await expect.poll(() => valueOf(signIns)).toBeGreaterThan(0)
  expect(await valueOf('max(platform_process_resident_bytes)')).toBeGreaterThan(2 ** 20)
  expect(await valueOf('min(platform_store_up)')).toBe(1)
  const before = await valueOf(signIns)
  await platform.admin()
  await expect.poll(() => valueOf(signIns)).toBeGreaterThan(before)
  await expect.poll(() => valueOf('max(platform_event_loop_utilization)')).toBeGreaterThan(0)
  const series = await api.observability.queryMetrics({ ...path, body: { query: 'platform_http_requests_total' } })
  expect(series.vector.filter(({ metric }) => 'operation' in metric)).toEqual([])
})
