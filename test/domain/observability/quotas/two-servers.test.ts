import { expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { storeUsage, usageCollection } from '../../../../domain/observability/quotas/telemetry-usage.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { NativeMetricEngine } from '../../../../server/observability/native/native-metric-engine.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { administrator } from '../../../server/access/sign-in.ts'
import { addTenant } from '../../../areas/members.ts'
import { silent } from '../../../areas/open-platform.ts'
import { areaPlace, testPlatform } from '../../../areas/test-platform.ts'
import { batch, limits, newFolder, series } from '../../../server/observability/native/engines.ts'
import { openBeside } from '../../../server/store/left-place.ts'

const telemetryQuotas = ['activeSeries', 'samplesPerSecond', 'logStreams', 'logBytesPerSecond', 'spansPerSecond']

it('a server without the telemetry lists all limits, with the usage that the other one has stored', async () => {
  const place = await areaPlace(areas, onTestFinished)
  const first = await testPlatform({ config: place })
  await first.admin()
  const second = await testPlatform({ config: place })
  const { api } = await second.signedIn(administrator.email, administrator.password)
  const { organisation, workspace } = await addTenant(api, 'acme')
  const usages = async () => {
    const { quota_limits: listed } = await api.observability.listQuotaLimits({ filter: `scope_id = "${workspace}"` })
    expect(listed).toHaveLength(10)
    const found = new Map(listed.map(({ quota_definition_id, usage }) => [quota_definition_id, usage]))
    return telemetryQuotas.map(name => found.get(`observability.${name}`))
  }
  expect(await usages()).toEqual([0, 0, 0, 0, 0])

  const lease = new NativeLease()
  lease.hold(new AbortController().signal)
  const now = Date.now()
  const engine = new NativeMetricEngine({
    root: newFolder(onTestFinished),
    clock: createClock(() => now),
    lease,
    log: silent,
  })
  onTestFinished(() => engine.end())
  const store = await openBeside(second.config, storeCollections(areas))
  onTestFinished(() => store.close())
  const named = (i: number) => series({ __name__: 'g', i: String(i) }, [[now - 1000, i]])
  await engine.write(workspace, batch(...[1, 2, 3].map(named)), limits)
  const logs = { usage: async () => ({ streams: 2, bytesLastMinute: 61 }), written: () => [workspace] }
  const traces = { spansLastMinute: () => 120, written: () => [] }
  const parts = { logs, metrics: engine, store, traces, tx: <R>(fn: (tx: Transaction) => Promise<R>) => store.tx(fn) }
  for (let run = 0; run < 2; run += 1) await storeUsage(parts)
  expect(await usages()).toEqual([3, 1, 2, 2, 2])

  const node = { organisation, id: workspace }
  await api.taxonomy.archiveWorkspace({ ...node, body: {} })
  await api.taxonomy.deleteWorkspace(node)
  await expect.poll(() => store.get(usageCollection, workspace), { timeout: 60_000 }).toBeUndefined()
})
