import { expect, it, onTestFinished } from 'vitest'
import { operationMetrics } from '../../../domain/observability/activities/operation-metrics.ts'
import type { Telemetry } from '../../../domain/ports/observability.ts'
import { NativeLease } from '../../../domain/resources/native-lease.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { addTenant } from '../../areas/members.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { openBeside } from '../../server/store/left-place.ts'

it('the operations of all areas are counted in their workspaces, each once', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const store = await openBeside(platform.config, storeCollections(areas))
  onTestFinished(() => store.close())
  const lease = new NativeLease()
  lease.hold(new AbortController().signal)
  let now = Date.now()
  const sent = new Map<string, Telemetry['metrics']>()
  const telemetry = { ingest: async (workspace: string, { metrics }: Telemetry) => void sent.set(workspace, metrics) }
  const worker = operationMetrics({ clock: createClock(() => now), lease, store, telemetry })
  const { signal } = new AbortController()
  const run = async (): Promise<void> => {
    now += 60_000
    sent.clear()
    await worker.run({ signal, tx: fn => store.tx(fn) })
  }
  await worker.run({ signal, tx: fn => store.tx(fn) })
  expect([...sent.keys()]).toEqual([])

  const { workspace } = await addTenant(api, 'acme')
  const silence = {
    matchers: [{ name: 'a', value: 'b' }],
    end_time: new Date(Date.now() + 3_600_000).toISOString(),
    comment: 'c',
  }
  const { resource_id: id } = await api.observability.createSilence({ workspace, body: silence })
  await api.observability.createSilence({ workspace, body: silence })
  await api.observability.deleteSilence({ workspace, id })
  await api.storage.createBucket({ workspace, engine: 'native', body: { name: 'photos' } })
  const counted = (): readonly string[] =>
    (sent.get(workspace) ?? [])
      .map(({ labels, name, value }) => `${name} ${labels['operation']} ${labels['outcome']} ${value}`)
      .toSorted()
  const expected = [
    'platform_observability_operations_total createSilence succeeded 2',
    'platform_observability_operations_total deleteSilence succeeded 1',
    'platform_storage_operations_total createBucket succeeded 1',
  ]
  const isSequenced = async () => {
    const { activities } = await api.observability.listActivities({ filter: `scope_id = "${workspace}"` })
    return activities.filter(({ action }) => /Silence|Bucket/.test(action)).length
  }
  await expect.poll(isSequenced, { timeout: 60_000 }).toBe(4)
  for (let round = 0; round < 2; round += 1) {
    await run()
    expect(counted()).toEqual(expect.arrayContaining(expected))
    for (const each of sent.get(workspace) ?? []) expect(each).toMatchObject({ type: 'COUNTER', time: now })
  }
})
